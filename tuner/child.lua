-- Times candidates that are loaded from shared objects: what LuaJIT's FFI runs in a process of its own, because a candidate
-- may crash or hang. Prints what tuner/measure.h says.
--   luajit child.lua MEASURE.so CELL ROUNDS SEED SLOT KEEP NUMBER SYMBOL OBJECT.so [NUMBER SYMBOL OBJECT.so...]

local ffi = require "ffi"

ffi.cdef [[
void tuner_identify(void);
void tuner_run(size_t cell, size_t rounds, unsigned seed, double slot, size_t keep, const int *numbers, void *const *invokes, size_t count);
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

-- Libraries by path, each loaded once, in the order in which they were.
local function load_all(words)
  local libraries, opened, count = {}, {}, (#words - 6) / 3
  local numbers, invokes = ffi.new("int[?]", count), ffi.new("void *[?]", count)
  for i = 0, count - 1 do
    local number, symbol, path = words[7 + 3 * i], words[8 + 3 * i], words[9 + 3 * i]
    if not libraries[path] then
      libraries[path] = must(ffi.C.dlopen(path, RTLD_NOW))
      opened[#opened + 1] = libraries[path]
    end
    numbers[i], invokes[i] = tonumber(number), must(ffi.C.dlsym(libraries[path], symbol))
  end
  return numbers, invokes, count, opened
end

local measure = ffi.load(arg[1])
local numbers, invokes, count, opened = load_all(arg)
measure.tuner_identify()
local cell, rounds, seed, slot, keep = tonumber(arg[2]), tonumber(arg[3]), tonumber(arg[4]), tonumber(arg[5]), tonumber(arg[6])
measure.tuner_run(cell, rounds, seed, slot, keep, numbers, invokes, count)
for _, library in ipairs(opened) do ffi.C.dlclose(library) end
