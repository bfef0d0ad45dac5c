--- What the tuner says while it works: on a terminal one status line, else plain lines, or JSON events.

local files = require "host.files"
local json = require "host.json"
local show = require "measure.show"

local progress = {}

local EVENT_KEYS = { "event", "text", "done", "of", "name", "target", "regime", "rows", "best", "gain", "eta" }

-- Erases the line that a terminal shows.
local ERASE = "\r\27[K"

--- @param is_json whether events are wanted
-- @param pairs how many calls there are to tune
function progress.new(is_json, of, now)
  local is_terminal = not is_json and (os.execute "test -t 2") -- 0 or true
  return setmetatable({ is_json = is_json, is_terminal = is_terminal == 0 or is_terminal == true, of = of, done = 0, start = now(),
    now = now, resumed = 0 }, { __index = progress })
end

local function status_text(self, kernel, best_ns, gain)
  return ("[%d/%d] %s %s  best %s  %+.0f%% vs default"):format(self.done, self.of, kernel.name, kernel.target, show.time(best_ns), gain)
end

-- Time that is left, if what is left takes as long as what was done; nil at the beginning.
local function eta(self)
  local finished = self.done - self.resumed
  if finished < 1 then return nil end
  local seconds = math.floor((self.now() - self.start) / finished * (self.of - self.done))
  return ("%d:%02d"):format(math.floor(seconds / 60), seconds % 60)
end

function progress.event(self, event)
  if self.is_json then files.print(json.line(event, EVENT_KEYS) .. "\n") end
end

--- Something to know.
function progress.note(self, text)
  if self.is_json then return self:event { event = "note", text = text } end
  io.stderr:write(self.is_terminal and ERASE or "", "tune: ", text, "\n")
end

--- Where the search is.
-- @param samples `{ ns =, ratios = }` medians of the best candidate so far
function progress.step(self, kernel, cell, ns, ratio)
  local gain = (ratio - 1) * 100
  self:event { event = "step", done = self.done, of = self.of, name = kernel.name, target = kernel.target, regime = cell.regime,
    rows = cell.rows, best = ns, gain = gain, eta = eta(self) }
  if not self.is_terminal then return end
  local left = eta(self)
  io.stderr:write(ERASE, status_text(self, kernel, ns, gain), left and "  eta " .. left or "")
end

--- A call is tuned, or was by a run before this one.
function progress.result(self, record, is_resumed)
  self.done = self.done + 1
  if is_resumed then self.resumed = self.resumed + 1 end
  if self.is_json then
    return files.print(json.line({ event = "result", done = self.done, of = self.of, record = record }, EVENT_KEYS) .. "\n")
  end
  if self.is_terminal then io.stderr:write(ERASE) end
  local gain = ((record.ratio and record.ratio[1] or 1) - 1) * 100
  files.print(("%s  %s, %.0f rows: %s%s%s\n"):format(status_text(self, record, record.ns, gain), record.regime, record.rows,
    record.schedule == record.default and "the default" or record.schedule, record.decided and "" or ", undecided",
    record.quality == "clean" and "" or ", noisy: " .. table.concat(record.why, ", ")))
end

return progress
