--- Compiles C files in parallel, each once: objects are kept by the content of their source and the words of the compiler.

local files = require "host.files"
local lfs = require "lfs"
local shell = require "host.shell"
local toolchain = require "host.toolchain"

local build = {}

-- Days after which an object that was made is made again.
local DAYS = "30"

--- A compiler with its options and its cache.
-- @param options `{ cc = words, version = what it says of itself, jobs = number, cache = directory, scratch = directory }`
function build.new(options)
  files.make_directory(options.cache)
  shell.run { "find", options.cache, "-type", "f", "-mtime", "+" .. DAYS, "-delete" }
  return setmetatable(options, { __index = build })
end

-- Names of contents: SHA-256, of all in one call.
local function names_of(self, texts)
  local words = { "sha256sum" }
  for i, text in ipairs(texts) do
    local path = ("%s/key%d"):format(self.scratch, i)
    files.write(path, text)
    words[#words + 1] = path
  end
  local names = {}
  for name in shell.output(words):gmatch("(%x+)  [^\n]*") do names[#names + 1] = name end
  return names
end

-- One source on its way to an object; nil if the object is there.
local function start(self, source, flags)
  if lfs.attributes(source.object) then return nil end
  local temporary = source.object .. ".tmp"
  local compile = shell.line(shell.words(self.cc, flags, { "-o", temporary, source.path }))
  return shell.start { "sh", "-c", compile .. " && mv " .. shell.line { temporary, source.object } }
end

local function finish(source, pipe)
  if not pipe then return end
  local text, ok = shell.finish(pipe)
  if not ok then source.object, source.complaint = nil, toolchain.complaint(text) end
end

--- Compiles sources. Sets the field `object` of each, or `complaint` if the compiler refuses it.
-- @param sources array of `{ path =, key = text that stands for its content }`
-- @param flags array of words
-- @param may_go_on function that is asked before each one but the first, or nil; sources that are not reached have neither field
function build.compile(self, sources, flags, may_go_on)
  local texts, running = {}, {}
  local head = shell.line(shell.words(self.cc, flags)) .. "\n" .. self.version .. "\n"
  for i, source in ipairs(sources) do texts[i] = head .. source.key end
  local names = names_of(self, texts)
  for i, source in ipairs(sources) do
    if i > 1 and may_go_on and not may_go_on() then break end
    source.object = self.cache .. "/" .. names[i] .. ".o"
    running[#running + 1] = { source, start(self, source, flags) }
    if #running >= self.jobs then
      local oldest = table.remove(running, 1)
      finish(oldest[1], oldest[2])
    end
  end
  for _, one in ipairs(running) do finish(one[1], one[2]) end
end

--- Links objects. Returns whether that worked, and the complaint if it did not.
function build.link(self, path, flags, objects)
  return toolchain.compile(shell.words(self.cc, flags, { "-o", path }, objects, { "-lm" }))
end

return build
