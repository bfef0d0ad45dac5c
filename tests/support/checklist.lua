-- Follows a numbered list of CONTRIBUTING.md word for word:
--   luajit tests/support/checklist.lua TITLE DIRECTORY
-- TITLE is that of the paragraph with the list, without its full stop. Does in DIRECTORY, a copy of the tree, what the items say, then
-- runs the commands of the sh block behind the list. Prints the files that the items name, one a line.
--
-- An item is "N. `path`" and blocks of text, each behind words that say where it goes: "a new file", "behind the last line with `...`"
-- or "in front of the first line with `...`".

package.path = "./?.lua;" .. package.path

local files = require "tests.support.files"
local lfs = require "lfs"

local function lines_of(text)
  local list = {}
  for line in text:gmatch("([^\n]*)\n") do list[#list + 1] = line end
  return list
end

-- What stands below a title, up to the next one.
local function below(text, title)
  local _, from = text:find("\n**" .. title .. ".**", 1, true)
  assert(from, "CONTRIBUTING.md has no paragraph " .. title)
  return text:sub(from + 1, text:find("\n%*%*", from) or -1)
end

-- The items of a list: array of { path =, steps = { { where = words, block = text } } }; and its commands.
local function read(text)
  local items, commands, words, block = {}, nil, "", nil
  for _, line in ipairs(lines_of(text)) do
    local path = not block and line:match("^%d+%. `([^`]+)`")
    local indent, fence = line:match("^( *)```(%l*)$")
    if path then items[#items + 1], words = { path = path, steps = {} }, "" end
    if not fence then
      if block then block[#block + 1] = line:gsub("^" .. block.indent, "") else words = words .. " " .. line end
    elseif not block then
      block = { indent = indent, is_command = indent == "" and fence == "sh" }
    else
      local written = table.concat(block, "\n") .. "\n"
      if block.is_command then
        commands = written
      else
        table.insert(items[#items].steps, { where = words:gsub("%s+", " "), block = written })
      end
      words, block = "", nil
    end
  end
  assert(#items > 0 and commands, "no numbered list, or no commands behind it")
  return items, commands
end

-- The text of a file with a block behind the last line that holds another text, or in front of the first one.
local function with_block(text, block, anchor, is_behind)
  local list, at = lines_of(text), nil
  for i, line in ipairs(list) do
    if line:find(anchor, 1, true) and (is_behind or not at) then at = is_behind and i + 1 or i end
  end
  assert(at, "no line with " .. anchor)
  table.insert(list, at, (block:gsub("\n$", "")))
  return table.concat(list, "\n") .. "\n"
end

local function follow(step, path)
  if step.where:find("a new file", 1, true) then
    assert(not lfs.attributes(path), "is there already")
    return files.write(path, step.block)
  end
  local behind = step.where:match("behind the last line with `([^`]+)`")
  local front = step.where:match("in front of the first line with `([^`]+)`")
  assert((behind == nil) ~= (front == nil), "it is not said where this goes: " .. step.where)
  files.write(path, with_block(files.read(path), step.block, behind or front, behind ~= nil))
end

local title, directory = arg[1], arg[2]
local items, commands = read(below(files.read "CONTRIBUTING.md", title))
for number, item in ipairs(items) do
  assert(#item.steps > 0, ("item %d says nothing of %s"):format(number, item.path))
  for _, step in ipairs(item.steps) do
    local ok, message = pcall(follow, step, directory .. "/" .. item.path)
    assert(ok, ("item %d, %s: %s"):format(number, item.path, message))
  end
  print(item.path)
end
local result = os.execute(("cd '%s' && set -e\n%s"):format(directory, commands))
assert(result == true or result == 0, "the commands behind the list fail")
