-- Cases for tests/fuzz/fuzz.lua: requests for kernels, legal by construction or spoilt, derived from the grammar of specs.
--
-- A case is { kind, shown, expect, specs, targets, schedule, prefix }. `shown`: what the user wrote, for messages. `expect`:
-- "valid", "refused" or nil (either). `specs()` reads the specs as the command does. targets, schedule, prefix: texts of options.
-- `is_program`: a file that need not be Lua, so that what is said about it depends on the interpreter.

local channel_sets = require "tests.support.channel_sets"
local chance = require "tests.support.random"
local tree = require "gen.tree"
local files = require "tests.support.files"
local hostile = require "tests.fuzz.hostile"
local inputs = require "host.inputs"
local names = require "gen.spec.names"
local schedule = require "gen.schedule.schedule"
local spec = require "gen.spec.spec"

local fuzzcases = {}

local pick = chance.pick

local EDGES = { 1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536 }

-- Values of the rows of the grammar whose set of values is open.
local OPEN = {
  groups = function(random) return pick({ "1", "2", "3", "4", "8" }, random) end,
  heads = function(random) return pick({ "1", "2", "5", "16" }, random) end,
  h = function(random) return ("%d"):format(random(2) == 1 and pick(EDGES, random) or random(2 ^ random(16))) end,
}

-- Norms of rows, and the fields that only others have.
local NORMS, OTHERS = {}, { dir = true, c = true, g = true, layout = true, shards = true, folded = true, momentum = true }
for _, name in ipairs(tree.norms()) do
  if not require("gen.norms." .. name).directions then NORMS[#NORMS + 1] = name end
end

-- A spec as a draw from the grammar: { norm, parts = array of { row, text } }.
local function draw_any(random)
  local drawn = { norm = pick(NORMS, random), parts = {} }
  for _, row in ipairs(spec.grammar) do
    local texts = spec.supported(row)
    local is_needed = row.field == "x" or row.field == "h"
    if not OTHERS[row.field] and (is_needed or random(4) == 1) and (row.read or #texts > 0) then
      drawn.parts[#drawn.parts + 1] = { row = row, text = row.read and OPEN[row.field](random) or pick(texts, random) }
    end
  end
  return drawn
end

-- The row of the grammar that a word belongs to, and its text there.
local function part_of(word)
  local key, text = word:match("^(.-)=(.*)$")
  for _, row in ipairs(spec.grammar) do
    if row.key == key and (key or row.field ~= "stats") then
      if key then return { row = row, text = text } end
      for _, choice in ipairs(row.choices or {}) do
        if choice.text == word then return { row = row, text = word } end
      end
    end
  end
end

-- A norm of channels.
local function draw_channels(random)
  local line = channel_sets.draw(random)
  local drawn = { norm = line:match("^%S+"), parts = {} }
  for word in line:gmatch("%s(%S+)") do drawn.parts[#drawn.parts + 1] = part_of(word) end
  return drawn
end

local function word_of(part) return (part.row.key and part.row.key .. "=" or "") .. part.text end

-- Whether the rules of the grammar let a draw be.
local function is_legal(drawn)
  local words = { drawn.norm }
  for _, part in ipairs(drawn.parts) do words[#words + 1] = word_of(part) end
  return (pcall(spec.parse, table.concat(words, " ")))
end

-- Mostly legal draws, and some that are left as they come.
local function draw(random)
  local any, drawn = random(6) > 1
  local as_it_comes = not any or random(10) == 1
  repeat drawn = any and draw_any(random) or draw_channels(random) until as_it_comes or is_legal(drawn)
  drawn.expect = is_legal(drawn) and "valid" or "refused"
  return drawn
end

-- The words of a draw, in any order after the norm.
local function words_of(drawn, random)
  local words = { drawn.norm }
  for _, part in ipairs(chance.shuffled(drawn.parts, random)) do words[#words + 1] = word_of(part) end
  return words
end

local SPACES = { " ", " ", " ", " ", "  ", "\t", "\n", " \r\n" }

local function line_of(words, random) return table.concat(words, pick(SPACES, random)) end

-- The same as a table: words alone or together, keys as strings or numbers, notes.
local function table_of(drawn, random)
  local t = { drawn.norm }
  for _, part in ipairs(chance.shuffled(drawn.parts, random)) do
    if part.row.key and t[part.row.key] == nil and random(2) == 1 then
      t[part.row.key] = random(2) == 1 and tonumber(part.text) or part.text
    elseif random(3) == 1 then
      t[#t] = t[#t] .. " " .. word_of(part)
    else
      t[#t + 1] = word_of(part)
    end
  end
  if random(4) == 1 then t.site = pick({ "input_layernorm", "model.layers[*].norm-1" }, random) end
  if random(4) == 1 then t.eps = pick({ 0, 1, 1e-5, 1e-300 }, random) end
  return t
end

-- Any value as Lua text, for spec files and messages; what has no text is named.
local function literal(value, depth)
  depth = depth or 0
  if type(value) == "string" then
    return '"' .. value:gsub('[%c"\\\127-\255]', function(c) return ("\\%03d"):format(c:byte()) end) .. '"'
  elseif type(value) == "number" then
    return value % 1 == 0 and ("%.0f"):format(value) or ("%.17g"):format(value)
  elseif type(value) ~= "table" or depth > 3 then
    return type(value) == "boolean" and tostring(value) or "<" .. type(value) .. ">"
  end
  local keys, items = {}, {}
  for key in pairs(value) do
    if type(key) == "string" then keys[#keys + 1] = key end
  end
  table.sort(keys)
  for i = 1, #value do items[i] = literal(value[i], depth + 1) end
  for _, key in ipairs(keys) do items[#items + 1] = "[" .. literal(key) .. "] = " .. literal(value[key], depth + 1) end
  return "{ " .. table.concat(items, ", ") .. " }"
end

-- A spec file with a few draws in it. Returns its text and what to expect of it.
local function file_of(random)
  local entries, expect = {}, "valid"
  for i = 1, random(3) do
    local drawn = draw(random)
    entries[i] = literal(random(2) == 1 and line_of(words_of(drawn, random), random) or table_of(drawn, random))
    if drawn.expect == "refused" then expect = "refused" end
  end
  local list = "{ " .. table.concat(entries, ",\n") .. " }"
  local form = pick({ "return %s", "-- specs\nreturn %s\n", "return { model = 'm', kernels = %s }",
    "local list = {}\nfor i, s in ipairs %s do table.insert(list, s) end\nreturn list" }, random)
  return (form:gsub("%%s", function() return list end)), expect
end

-- Reading, as the command does it.
local function specs_of_table(t)
  return function() return { spec.parse(t) } end
end

local function specs_of_line(line)
  return function() return inputs.specs { line } end
end

local function specs_of_file(text, path)
  return function()
    files.write(path, text)
    return inputs.specs { path }
  end
end

local function specs_of_name(name)
  return function() return { (names.parse(name, { targets = inputs.target_names() })) } end
end

local function new_line(random, _)
  local drawn = draw(random)
  local line = line_of(words_of(drawn, random), random)
  return { shown = literal(line), line = line, specs = specs_of_line(line), expect = drawn.expect }
end

local function new_table(random, _)
  local drawn = draw(random)
  local t = table_of(drawn, random)
  return { shown = literal(t), specs = specs_of_table(t), expect = drawn.expect }
end

local function new_file(random, path)
  local text, expect = file_of(random)
  return { shown = text, specs = specs_of_file(text, path), expect = expect }
end

local function spoilt_line(random, _)
  local line = hostile.line(words_of(draw(random), random), random)
  return { shown = literal(line), line = line, specs = specs_of_line(line) }
end

local function spoilt_table(random, _)
  local t = hostile.table(table_of(draw(random), random), random)
  return { shown = literal(t), specs = specs_of_table(t) }
end

local function spoilt_file(random, path)
  local text = hostile.text(file_of(random), random)
  return { shown = text, specs = specs_of_file(text, path), is_program = true }
end

local function hostile_file(random, path)
  local text = hostile.program(random)
  return { shown = text, specs = specs_of_file(text, path), is_program = true }
end

-- The name of a kernel, often with prefix and target, sometimes spoilt.
local function new_name(random, _)
  local drawn = draw(random)
  while drawn.expect ~= "valid" do drawn = draw(random) end
  local name = names.build(spec.parse(line_of(words_of(drawn, random), random)))
  if random(2) == 1 then name = "ng_" .. name end
  if random(2) == 1 then name = name .. "_" .. pick(inputs.target_names(), random) end
  if random(2) == 1 then return { shown = literal(name), specs = specs_of_name(name), expect = "valid" } end
  name = hostile.text(name, random)
  return { shown = literal(name), specs = specs_of_name(name) }
end

-- A legal line with spoilt options.
local function spoilt_options(random, path)
  local case = new_line(random, path)
  case.expect, case.spoilt = nil, true
  return case
end

-- Kinds and how often they come.
local KINDS = {
  { name = "lines", weight = 340, make = new_line },
  { name = "tables", weight = 150, make = new_table },
  { name = "files", weight = 100, make = new_file },
  { name = "names", weight = 50, make = new_name },
  { name = "spoilt lines", weight = 150, make = spoilt_line },
  { name = "spoilt tables", weight = 90, make = spoilt_table },
  { name = "spoilt files", weight = 60, make = spoilt_file },
  { name = "spoilt options", weight = 50, make = spoilt_options },
  { name = "hostile files", weight = 2, make = hostile_file },
}

-- fuzzcases.kinds(): names of the kinds, in order.
function fuzzcases.kinds()
  local list = {}
  for i, kind in ipairs(KINDS) do list[i] = kind.name end
  return list
end

local function pick_kind(random)
  local total = 0
  for _, kind in ipairs(KINDS) do total = total + kind.weight end
  local ticket = random(total)
  for _, kind in ipairs(KINDS) do
    ticket = ticket - kind.weight
    if ticket <= 0 then return kind end
  end
end

local function targets_text(random)
  local all, how = inputs.target_names(), random(20)
  if how == 1 then return "all" end
  return pick(all, random) .. (how <= 3 and "," .. pick(all, random) or "")
end

local function schedule_text(random)
  local settings = {}
  for _, knob in ipairs(chance.shuffled(schedule.knobs(), random)) do
    if random(5) == 1 then settings[#settings + 1] = knob.key .. "=" .. pick(knob.values, random) end
  end
  return #settings > 0 and table.concat(settings, ",") or nil
end

-- A letter, then letters, digits and single underscores.
local function prefix_text(random)
  local text = hostile.letters(random(3), random)
  for _ = 1, random(4) do text = text .. pick({ "_", "" }, random) .. pick({ "x", "Y1", "0", "norm" }, random) end
  return text .. pick({ "_", "" }, random)
end

-- fuzzcases.new(seed, number, path): one case; the same numbers give the same case. path: where it may write a file.
function fuzzcases.new(seed, number, path)
  local x = (seed * 1000003 + number * 7919) % 67108859
  local random = chance.numbers(x * x % 2147483646 + 1) -- squared: the first numbers of evenly spaced seeds are evenly spaced, too
  local kind = pick_kind(random)
  local case = kind.make(random, path)
  case.kind = kind.name
  case.targets, case.prefix = targets_text(random), random(2) == 1 and "ng_" or prefix_text(random)
  case.schedule = random(3) == 1 and schedule_text(random) or nil
  if case.spoilt then
    local field = pick({ "targets", "schedule", "prefix" }, random)
    case[field] = hostile.text(case[field] or schedule_text(random) or "rows=1", random)
  end
  return case
end

return fuzzcases
