-- Times candidates that are loaded from shared objects: what LuaJIT's FFI runs in a process of its own, because a candidate
-- may crash or hang. Prints what tuner/measure.h says.
--   luajit child.lua TABLE MEASURE.so CELL ROUNDS SEED SLOT KEEP CHECK NUMBER...
-- TABLE is a file with a line for each candidate: its number, the symbol of its function, the shared object.

local ffi = require "ffi"

ffi.cdef [[
void tuner_identify(void);
void tuner_run(size_t cell, size_t rounds, unsigned seed, double slot, size_t keep, int check, const int *numbers,
  void *const *invokes, size_t count);
void *dlopen(const char *path, int mode);
void *dlsym(void *library, const char *symbol);
int dlclose(void *library);
char *dlerror(void);
]]

local RTLD_NOW = 2

local function must(pointer)
  if pointer == nil then error(ffi.string(ffi.C.dlerror()), 0) end
  return pointer
end

-- The table, by number.
local function read_table(path)
  local entries = {}
  for line in io.lines(path) do
    local number, symbol, object = line:match("^(%d+) (%S+) (.+)$")
    entries[number] = { symbol = symbol, object = object }
  end
  return entries
end

-- Loads candidates, each library once; the libraries in the order in which they were opened.
local function load_all(entries, first)
  local libraries, opened, count = {}, {}, #arg - first + 1
  local numbers, invokes = ffi.new("int[?]", count), ffi.new("void *[?]", count)
  for i = 0, count - 1 do
    local entry = entries[arg[first + i]]
    if not libraries[entry.object] then
      libraries[entry.object] = must(ffi.C.dlopen(entry.object, RTLD_NOW))
      opened[#opened + 1] = libraries[entry.object]
    end
    numbers[i], invokes[i] = tonumber(arg[first + i]), must(ffi.C.dlsym(libraries[entry.object], entry.symbol))
  end
  return numbers, invokes, count, opened
end

local measure = ffi.load(arg[2])
local numbers, invokes, count, opened = load_all(read_table(arg[1]), 9)
local cell, rounds, seed, slot, keep = tonumber(arg[3]), tonumber(arg[4]), tonumber(arg[5]), tonumber(arg[6]), tonumber(arg[7])
measure.tuner_identify()
measure.tuner_run(cell, rounds, seed, slot, keep, tonumber(arg[8]), numbers, invokes, count)
for _, library in ipairs(opened) do ffi.C.dlclose(library) end
