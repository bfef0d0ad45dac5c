--- Spec files: Lua that returns an array of specs, or { model = name, kernels = array of specs }.
--
-- They run with few functions and within limits of time and memory: a guard rail against accidents, not a security
-- boundary. math.random is left out because the same file must always give the same kernels.

local deepnorm = require "gen.spec.deepnorm"
local failure = require "host.failure"
local files = require "host.files"
local specs = require "gen.spec.specfile"
local usage = require "gen.errors.usage"

local specfile = {}

-- The limit of memory lies between powers of two: tables grow by doubling, and one as large as the limit would call the
-- collector at every look.
local MAX_INSTRUCTIONS, MAX_KBYTES = 10000000, 24576
-- Instructions from one look at the limits to the next: few, because a string can double in three.
local STEP = 10
-- Far more than so many instructions take, unless each copies a long string or moves a long table. Looked at every so many steps.
local MAX_SECONDS, CLOCK_STEPS = 5, 10

local ALLOWED = {
  math = { "abs", "ceil", "floor", "fmod", "huge", "max", "min", "pi", "sqrt" },
  string = { "byte", "char", "format", "len", "lower", "reverse", "sub", "upper" },
  table = { "concat", "insert", "remove", "sort" },
}

local function copy(library, allowed)
  local subset = {}
  for _, name in ipairs(allowed) do subset[name] = library[name] end
  return subset
end

local function environment()
  return {
    deepnorm = deepnorm,
    ipairs = ipairs,
    math = copy(math, ALLOWED.math),
    string = copy(string, ALLOWED.string),
    table = copy(table, ALLOWED.table),
  }
end

-- Ends the watch before it raises the error: nothing after the chunk may be stopped.
local function stop(message)
  debug.sethook()
  usage.fail("%s", message)
end

-- A count hook that stops a chunk which runs or grows without end.
local function watch()
  collectgarbage() -- older garbage would hide growth
  local steps, start, began = 0, collectgarbage("count"), os.clock()
  local function grown() return collectgarbage("count") - start > MAX_KBYTES end
  return function()
    steps = steps + 1
    local is_late = steps % CLOCK_STEPS == 0 and os.clock() - began > MAX_SECONDS
    if is_late or steps * STEP > MAX_INSTRUCTIONS then stop("runs for too long (an endless loop?)") end
    if grown() then
      collectgarbage()
      if grown() then stop("needs too much memory (a huge table?)") end
    end
  end
end

local function watched(chunk)
  debug.sethook(watch(), "", STEP)
  local ok, result = pcall(chunk)
  debug.sethook()
  return ok, result
end

-- Calls a chunk within the limits. ("x"):rep reaches string methods through the metatable of strings, so that one
-- shows the allowed subset meanwhile.
local function run(chunk, env)
  local strings = getmetatable("")
  local methods = strings.__index
  if jit then jit.off(chunk, true) end -- hooks never fire in compiled code
  strings.__index = env.string
  local in_time, ok, result = pcall(watched, chunk) -- a limit can also be met after the chunk, before the watch ends
  strings.__index = methods
  if in_time then return ok, result end
  return false, ok
end

local function read(path)
  local text, reason = files.read(path)
  return text or failure("cannot read %s: %s", usage.quote_path(path), (reason:gsub("^.*: ", "")))
end

-- A message of Lua itself in one line, without the path, which the caller puts in front.
local function plain(message, path)
  message = tostring(message):match("^[^\n]*")
  local line, rest = message:match("^spec:(%d+): (.*)$")
  return line and path .. ":" .. line .. ": " .. rest or path .. ": " .. message
end

local function evaluate(path)
  local env = environment()
  local chunk, syntax = load(read(path), "=spec", "t", env)
  if not chunk then usage.fail("%s", plain(syntax, path)) end
  local ok, result = run(chunk, env)
  if ok then return result end
  usage.fail("%s", type(result) == "table" and path .. ": " .. result.usage or plain(result, path))
end

--- Loads a spec file.
-- @param path the path as the user wrote it; it stands in front of messages
-- @return array of spec tables, in the order of the file; the name of the model, or nil
-- Raises a usage error for whatever the file says wrong, a failure if it cannot be read.
function specfile.load(path) return specs.specs(evaluate(path), path) end

return specfile
