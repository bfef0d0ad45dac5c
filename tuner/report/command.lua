--- What normgen report does.

local data = require "tuner.report.data"
local failure = require "host.failure"
local files = require "host.files"
local page = require "tuner.report.page"
local usage = require "gen.errors.usage"

--- @param args parsed arguments of normgen report
return function(args)
  local texts = {}
  for i, path in ipairs(args.files) do
    local text, reason = files.read(path)
    texts[i] = { path = path, text = text or failure("cannot read %s: %s", usage.quote_path(path), reason:gsub("^.*: ", "")) }
  end
  local records, entries, skipped = data.read(texts)
  for _, message in ipairs(skipped) do io.stderr:write("report: ", message, "\n") end
  local text = page[args.format](data.machines(records, entries))
  if args.output then files.write(args.output, text) else files.print(text) end
end
