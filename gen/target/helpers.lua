--- The C that words of a target call: the functions, macros and types of its .h file, cut apart, so that a kernel gets those that it
-- needs and no other.
--
-- The file is C that compiles as it stands. Its head, up to the first empty line, is for compilers and readers. Behind it stand
-- the helpers, each after those that it uses, with an empty line between them. `ng_` stands for the user's prefix, NG_TARGET for the
-- target's attribute.

local usage = require "gen.errors.usage"

local helpers = {}

--- The paragraphs of a text: what empty lines outside of functions part.
local function paragraphs(text, source)
  local list, lines, in_body = {}, {}, false
  for line in (text .. "\n\n"):gmatch "([^\n]*)\n" do
    if line ~= "" or in_body then
      lines[#lines + 1] = line
      in_body = line:find "^{" or in_body and not line:find "^}"
    elseif #lines > 0 then
      list[#list + 1], lines = table.concat(lines, "\n"), {}
    end
  end
  if in_body then usage.fail("%s: no } at the start of a line ends what begins with %s", source, usage.quote(lines[1])) end
  return list
end

--- The name that a line defines, or nil.
local function defined(line)
  if line:find "^#" then return line:match "^#define (ng_[%w_]+)" end
  if not line:find "^[%a}]" then return end
  return line:match "%f[%w_](ng_[%w_]+);$" or line:match "%f[%w_](ng_[%w_]+) ?[%(%[=]"
end

--- The name that a paragraph defines, or nil.
local function name_of(paragraph, source)
  local name
  for line in paragraph:gmatch "[^\n]+" do
    local found = defined(line)
    if name and found and found ~= name then usage.fail("%s: there is no empty line between %s and %s", source, name, found) end
    name = name or found
  end
  return name
end

local function new(name, text, attribute)
  text = text:gsub("%f[%w_]ng_", "@"):gsub("%f[%w_]NG_TARGET%s+", "$A ")
  local helper = { name = name:sub(4), text = text, attribute = attribute, uses = {} }
  for used in text:gmatch "@([%w_]+)" do
    if used ~= helper.name then helper.uses[#helper.uses + 1] = used end
  end
  return helper
end

--- Cuts a .h file; a usage error if it cannot be cut. A paragraph that defines nothing belongs to the next one.
-- @param text of the file
-- @param source its path, for messages
-- @param attribute of the target
-- @param borrowed helpers that these may use, too
-- @return array of `{ name=, text=, attribute=, uses= }`, borrowed ones first: the name without prefix, the text with `@` for the
--   prefix and `$A ` for the attribute, the names of others in the text
function helpers.cut(text, source, attribute, borrowed)
  local list, known, before = {}, {}, ""
  local function add(helper)
    if known[helper.name] then usage.fail("%s: two helpers are named ng_%s", source, helper.name) end
    for _, used in ipairs(helper.uses) do
      if not known[used] then usage.fail("%s: ng_%s uses ng_%s, which does not stand in front of it", source, helper.name, used) end
    end
    known[helper.name], list[#list + 1] = true, helper
  end
  for _, helper in ipairs(borrowed) do add(helper) end
  for i, paragraph in ipairs(paragraphs(text, source)) do
    local name = name_of(paragraph, source)
    if i == 1 then
      if name then usage.fail("%s: %s stands in the head, which ends at the first empty line", source, name) end
    elseif name then
      add(new(name, before .. paragraph, attribute))
      before = ""
    else
      before = before .. paragraph .. "\n\n"
    end
  end
  if before ~= "" then
    usage.fail("%s: nothing whose name begins with ng_ stands behind %s", source, usage.quote(before:match "[^\n]*"))
  end
  return list
end

return helpers
