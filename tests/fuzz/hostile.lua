-- Bad input: ways to spoil lines, tables and texts, and spec files that nobody should write.

local chance = require "tests.support.random"

local hostile = {}

local pick = chance.pick

-- hostile.letters(count, random): random small and capital letters.
function hostile.letters(count, random)
  local list = {}
  for i = 1, count do list[i] = string.char(random(26) + (random(2) == 1 and 64 or 96)) end
  return table.concat(list)
end

local function swap_case(text)
  return text == text:lower() and text:upper() or text:lower()
end

-- Numbers as h=, offset= or anything else must not be written.
local NUMBERS = {
  "0", "-1", "+1", "007", "1e9", "0x10", "1.5", "65537", "nan", "inf", "", " ", "4096 ", "1_000", "1,000", "4096f",
  "\239\188\145", ("9"):rep(400), ("0"):rep(70) .. "7", "1" .. ("0"):rep(20000),
}

-- Pieces that do not belong into a word.
local PIECES = {
  "\0", "\27[31m", "\127", "\r", "\n", "\t", "\195\169", "\226\130\172", "\240\159\152\128", "\255\254", "=", "==", "/", ".lua",
  "'", '"', "\\", "%s", "%d%n", "$(x)", "`x`", ";", "--", "_", "__", "*", "?", "~", "#", "@",
}

-- Words that look as if they belonged into a spec.
local WORDS = {
  "bwd", "site=a", "eps=1e-5", "h", "offset", "=", "=f32", "h=", "add=1", "f32=", "f8", "fp32", "float", "rmsnom", "norm=rmsnorm",
  "x=f32", "dir=fwd", "fusion=add", "addinto", "offset=2", "affine=beta", "cast=gemma", "acc=f32", "center=head", "nil", "{}",
}

-- Each takes the words of a line and changes them.
local WORD_FAULTS = {
  function(words, random) local i = random(#words) words[i] = swap_case(words[i]) end,
  function(words, random) table.insert(words, random(#words + 1), pick(words, random)) end,
  function(words, random) if #words > 1 then table.remove(words, random(#words)) end end,
  function(words, random) table.insert(words, random(#words + 1), hostile.letters(random(12), random)) end,
  function(words, random) table.insert(words, random(#words + 1), pick(WORDS, random)) end,
  function(words, random)
    local i = random(#words)
    words[i] = (words[i]:match("^[^=]*=") or "h=") .. pick(NUMBERS, random)
  end,
  function(words, random)
    local i, at = random(#words), random(8)
    words[i] = words[i]:sub(1, at - 1) .. pick(PIECES, random) .. words[i]:sub(at)
  end,
  function(words, random) local i, at = random(#words), random(8) words[i] = words[i]:sub(1, at - 1) .. words[i]:sub(at + 1) end,
  function(words, random) local i = random(#words) words[i] = words[i]:rep(random(2) == 1 and 2 or 5000) end,
}

-- hostile.line(words, random): a line of these words with one to three faults.
function hostile.line(words, random)
  local how = random(40)
  if how == 1 then return "" end
  if how == 2 then return pick(PIECES, random):rep(random(100)) end
  for _ = 1, random(3) do pick(WORD_FAULTS, random)(words, random) end
  return table.concat(words, how == 3 and pick({ "_", ",", ", ", "\0", "" }, random) or " ")
end

-- Each takes a text and returns another one.
local TEXT_FAULTS = {
  function(text, random) return text:sub(1, random(#text + 1) - 1) end,
  function(text, random) return text:sub(random(#text + 1)) end,
  function(text, random)
    local at = random(#text + 1)
    return text:sub(1, at - 1) .. text:sub(at + 1)
  end,
  function(text, random)
    local at = random(#text + 1)
    return text:sub(1, at - 1) .. pick(PIECES, random) .. text:sub(at)
  end,
  function(text, random)
    local at, last = random(#text + 1), random(#text + 1)
    return text:sub(1, last) .. text:sub(at)
  end,
  function(text, random)
    local at = random(#text + 1)
    return text:sub(1, at - 1) .. swap_case(text:sub(at, at + 3)) .. text:sub(at + 4)
  end,
  function(text, random) return (text:gsub("%d+", function() return pick(NUMBERS, random) end, 1)) end,
  function(text, random) return (text:gsub("%a+", function() return hostile.letters(random(12), random) end, random(4))) end,
}

-- hostile.text(text, random): the text with one or two faults.
function hostile.text(text, random)
  for _ = 1, random(2) do text = pick(TEXT_FAULTS, random)(text, random) end
  return text
end

-- Values that are no words.
local VALUES = {
  function() return 0 end, function() return -1 end, function() return -0.0 end, function() return 1.5 end,
  function() return 4096 end, function() return 1e9 end, function() return 1e300 end, function() return 2 ^ 53 end,
  function() return 0 / 0 end, function() return 1 / 0 end, function() return true end, function() return false end,
  function() return {} end, function() return { "f32" } end, function() return { { { {} } } } end,
  function() local t = {} t[1], t.h = t, t return t end,
  function() return print end, function() return function() error("called") end end, function() return io.stdout end,
  function() return coroutine.create(print) end, function() return "" end, function() return " \t" end,
  function() return ("f32 "):rep(1000) end, function() return ("x"):rep(200000) end, function() return "\0" end,
  function() return "f32\0" end, function() return "bf16\nh=4" end, function() return "\195\169" end,
  function() return setmetatable({}, { __index = { "rmsnorm" }, __tostring = function() return "f32" end }) end,
  function() return setmetatable({}, { __call = print }) end,
}

local KEYS = { "h", "gamma", "out", "residual", "site", "eps", "offset", "affine", "model", "kernels", "H", "", "x\0", 0, -1, 9, 1.5, true }

-- Each takes a spec table and returns what to parse.
local TABLE_FAULTS = {
  function(t, random) t[random(#t)] = pick(VALUES, random)() return t end,
  function(t, random) t[#t + 1] = pick(VALUES, random)() return t end,
  function(t, random) t[pick(KEYS, random)] = pick(VALUES, random)() return t end,
  function(t, random) t[pick(KEYS, random)] = pick(VALUES, random)() return t end,
  function(t, random) t[pick(KEYS, random)] = hostile.letters(random(8), random) return t end,
  function(t, random) t[random(#t)] = nil return t end,
  function(t, random) t.h = pick(NUMBERS, random) return t end,
  function(t, random) return random(2) == 1 and { t } or { {}, t } end,
  function(t, random) t[#t] = t[#t] .. " " .. pick(WORDS, random) return t end,
  function(t) t[1] = t return t end,
  function(t) return setmetatable(t, { __index = function(_, key) return key end }) end,
  function(t) return setmetatable({}, { __index = t }) end,
  function(_, random) return pick(VALUES, random)() end,
}

-- hostile.table(t, random): a spec table with a fault, or another value.
function hostile.table(t, random) return pick(TABLE_FAULTS, random)(t, random) end

local function nested(open, close, count) return "return " .. open:rep(count) .. "1" .. close:rep(count) end

-- Whole spec files: endless, greedy, deep, or returning something else.
local PROGRAMS = {
  "while true do end",
  "repeat until false",
  "for i = 1, math.huge do local s = i .. '' end",
  "local function f() return f() end return f()",
  "local function f() return 1 + f() end return f()",
  "local function f(...) return f(1, ...) end return f()",
  "local function f() table.sort({ 1, 2, 3 }, function() f() return false end) end f()",
  "local s = 'x' while true do s = s .. s end",
  "local s = '' while true do s = s .. 'x' end",
  "local s = '' while true do s = 'rmsnorm f32 h=4 ' .. s end",
  "local s = 'x' while true do s = string.format('%s%s%s%s', s, s, s, s) end",
  "local s = 'x' while true do s = table.concat({ s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s }) end",
  "local s = ('x') for i = 1, 24 do s = s .. s end while true do s = s:upper() s = s:lower() end",
  "local s = ('x') for i = 1, 24 do s = s .. s end while true do s = s:reverse() end",
  "local t = {} while true do t[#t + 1] = {} end",
  "local t = {} while true do t = { t } end",
  "local t = {} while true do table.insert(t, 1, 0) end",
  "local t = {} for i = 1, 1e6 do t[i] = i end while true do table.insert(t, 1, table.remove(t)) end",
  "local t = {} for i = 1, 1e6 do t[i] = i end while #t > 0 do table.remove(t, 1) end",
  "local t = {} for i = 1, 1e5 do t[i] = '' end while true do local s = table.concat(t) end",
  "local t = {} for i = 1, 1e6 do t[i] = -i end while true do table.sort(t) end",
  "local t = { 3, 1, 2, 5, 4, 9, 8, 7 } table.sort(t, function() return true end) return t",
  "local t = { 1, 'x', {} } table.sort(t) return t",
  "local s = 'x' for i = 1, 20 do s = s .. s end local t = {} for i = 1, 1000 do t[i] = s end return { table.concat(t) }",
  "local s = 'x' for i = 1, 22 do s = s .. s end return { s, { s }, { 'rmsnorm', [s] = s } }",
  "return { string.format('%99999d', 1) }",
  "return { string.format('%99.99f', 1e308), ('x'):rep(9) }",
  "local t = {} for i = 1, 70000 do t[i] = 'rmsnorm f32 h=4' end return t",
  "local t = {} for i = 1, 5000 do t[i] = 'rmsnorm f32 h=4' end return t",
  "local t = {} for i = 1, 5000 do t[i] = { i } end return { kernels = t }",
  "local t = {} t.kernels = t return t",
  "local t = {} t[1] = t return t",
  "local t = { 'rmsnorm' } t.h = t return { t }",
  "return", "", "return nil", "return 7", "return true", "return 'rmsnorm f32 h=4'", "return {}", "return { {} }", "return { 7 }",
  "return { kernels = {} }", "return { kernels = 7 }", "return { kernels = false }", "return { kernels = 'rmsnorm f32 h=4' }",
  "return function() end", "return { function() end }", "return { nil, 'rmsnorm f32 h=4' }", "return ipairs", "return { string }",
  "return { 'rmsnorm f32 h=4', x = 1 }", "return { h = 4, 'rmsnorm f32 h=4' }", "return 'rmsnorm f32 h=4', 'rmsnorm f32 h=5'",
  "string.len = nil string.format = nil table.concat = nil math.huge = 1 return { 'rmsnorm f32 h=4' }",
  "ipairs = nil string = nil return { 'rmsnorm f32 h=4' }", "x.y.z = 1", "nothing()", "return { error('x') }", "return 1 + {}",
  "return { ('x').y.z }", "return { #5 }", "return os.exit(3)", "return io.open('x')", "return require 'gen.spec'",
  "return string.dump(function() end)", "string.char(256)", "string.format('%d', 1.5, {})", "return ('x'):rep(1e9)",
  "goto nowhere", "return ...", "local x <const> = 1 return x", "return 1 // 2", "return 0x", "return '\\400'", "return [[",
  "return 1e", "return 'x", "--[[", "#!/usr/bin/lua\nreturn { 'rmsnorm f32 h=4' }", "\239\187\191return { 'rmsnorm f32 h=4' }",
  "\27LJ\2", "\27Lua", "\0", "return\0{}", "\255", "return { 'rmsnorm f32 h=4\0' }", "break", "return return",
  nested("(", ")", 300), nested("(", ")", 100000), nested("{", "}", 250), nested("{", "}", 100000), nested("not ", "", 100000),
  nested("'x'..", "", 100000), nested("2^", "", 1000), nested("function() return ", " end", 1000),
  "return { " .. ("'rmsnorm f32 h=4', "):rep(70000) .. "}", "local " .. ("a,"):rep(300) .. "a return a", ("do "):rep(1000),
  "return { " .. ("1,"):rep(300000) .. " }", "return " .. ("1+"):rep(100000) .. "1", "return '" .. ("x"):rep(1000000) .. "'",
  "return { ['" .. ("x"):rep(100000) .. "'] = 1 }", ("x"):rep(100000) .. "()", ("\n"):rep(100000) .. "x()",
}

-- hostile.program(random): the text of such a file.
function hostile.program(random) return pick(PROGRAMS, random) end

return hostile
