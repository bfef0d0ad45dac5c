--- What an interrupted run knew: its records, for the next run of the same kind.

local files = require "host.files"
local memory = require "tuner.memory"
local places = require "host.places"

local journal = {}

--- Opens the journal; what it holds counts if the run before this one was of the same kind.
-- @param kind text that tells what the run does
function journal.open(kind)
  local path = places.cache() .. "/unfinished.jsonl"
  local text = files.read(path) or ""
  local head, rest = text:match("^([^\n]*)\n(.*)$")
  files.make_directory(places.cache())
  return setmetatable({ path = path, kind = kind, records = head == kind and memory.read(rest, path) or {} }, { __index = journal })
end

--- The record of a call that is known, or nil.
function journal.find(self, kernel_name, target, cell)
  for _, record in ipairs(self.records) do
    local is_it = record.name == kernel_name and record.target == target and record.regime == cell.regime and record.rows == cell.rows
    if is_it then return record end
  end
end

--- Keeps a record at once.
function journal.add(self, record)
  self.records[#self.records + 1] = record
  files.write(self.path, self.kind .. "\n" .. memory.text(self.records))
end

--- The run is complete.
function journal.close(self) os.remove(self.path) end

return journal
