--- The registry: descriptors of kernels, generic calls, the self-test.

local c = require "gen.emit.prototype"
local literal = require "gen.c.literal"
local selftest = require "gen.emit.selftest"
local sets = require "gen.emit.set"
local template = require "gen.emit.template"

local registry = {}

local function call_text(args)
  local items, used = {}, { ptr = 0, stride = 0, scalar = 0 }
  local function take(array)
    used[array] = used[array] + 1
    return ("%s[%d]"):format(array, used[array] - 1)
  end
  for i, argument in ipairs(args) do
    if argument.name == "rows" then
      items[i] = "rows"
    elseif argument.dtype == "ptrdiff_t" then
      items[i] = take "stride"
    elseif argument.shape == "scalar" then
      items[i] = ("(%s)%s"):format(argument.ctype, take "scalar")
    else
      items[i] = ("(%s)%s"):format(c.type(argument), take "ptr")
    end
  end
  return table.concat(items, ", ")
end

local function shape_text(argument)
  return argument.shape == "scalar" and "scalar" or table.concat(argument.shape, ",")
end

--- Tables of arguments, one for each different list, and the number of each group's table.
local function argument_tables(set)
  local parts, number_of, signatures = {}, {}, {}
  for _, group in ipairs(set.groups) do
    local lines = {}
    for i, argument in ipairs(group.problem.args) do
      lines[i] = ('    { "%s", "%s", "%s", "%s", "%s" },'):format(argument.name, (c.type(argument):gsub("%s+$", "")),
        argument.dtype, shape_text(argument), argument.io)
    end
    local text = table.concat(lines, "\n")
    if not number_of[text] then
      number_of[text] = #parts + 1
      local head = ("static const %sarg %sargs_%d[] = {\n"):format(set.prefix, set.prefix, #parts + 1)
      parts[#parts + 1] = head .. text .. "\n};\n"
    end
    signatures[group] = number_of[text]
  end
  return template.trimmed(table.concat(parts, "\n")), signatures
end

--- The function of a code that calls it with arrays of arguments (`invoke` in a descriptor), as C, to stand behind the kernel.
-- @param linkage "static " or ""
function registry.invoke(code, prefix, linkage)
  return template.fill("registry_kernel.c", { linkage = linkage, symbol = c.symbol(code, prefix),
    call = call_text(code.problem.args), p = prefix, name = code.problem.name, target = code.target })
end

--- The registry as C, to stand behind the declarations and the CPU detection.
-- @param set set of kernels (gen/emit/set.lua)
function registry.text(set)
  local args, signatures = argument_tables(set)
  local function shims(_, code) return registry.invoke(code, set.prefix, "static ") end
  local function entry(group, code)
    local bytes = group.problem.bytes
    local function sum(way, ...)
      local total = 0
      for _, unit in ipairs { ... } do total = total + bytes[unit][way] end
      return literal.integer(total)
    end
    return template.fill("registry_entry.c", { p = set.prefix, name = group.problem.name, target = code.target,
      spec = group.problem.spec, schedule = code.schedule_text, h = literal.integer(group.problem.row_length),
      read = sum("read", "position", "row"), write = sum("write", "position", "row"),
      call_read = sum("read", "batch", "chunk", "call"), call_write = sum("write", "batch", "chunk", "call"),
      signature = literal.integer(signatures[group]), symbol = c.symbol(code, set.prefix) })
  end
  return template.piece("registry_body.c", { p = set.prefix, arguments = args, kernels = sets.guarded(set, shims),
    entries = sets.guarded(set, entry), selftest = selftest.text(set) })
end

return registry
