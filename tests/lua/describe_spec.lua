-- What `normgen describe` says of every kernel of the reference set, which has all norms, directions and options
-- (tests/lua/reference_spec.lua): all that is said is so, and is there to be read.

local json = require "dkjson"
local normgen = require "tests.support.normgen"
local spec = require "gen.spec.spec"

local function described(text, ...)
  local code, out, err = normgen.run({ "describe", text, ... }, normgen.interpreters[1])
  assert.equal("", err)
  assert.equal(0, code)
  return out
end

local said

setup(function()
  said = {}
  for _, path in ipairs { "specs/reference.lua", "specs/relatives.lua" } do
    for _, text in ipairs(dofile(path)) do
      said[#said + 1] = { spec = spec.format(spec.parse(text)), json = json.decode(described(text, "--json")), text = described(text) }
    end
  end
end)

-- The line of a text that begins with a word.
local function line_of(text, word) return text:match("\n  " .. word .. " +([^\n]*)\n") end

describe("normgen describe", function()
  it("names every size that the spec has, and no other", function()
    for _, it in ipairs(said) do
      for _, row in ipairs(spec.grammar) do
        if row.read then
          local number = (" " .. it.spec .. " "):match(" " .. row.key .. "=(%d+) ")
          assert.equal(tonumber(number), it.json[row.field], it.spec .. ": " .. row.field)
        end
      end
    end
  end)

  it("names the dtypes of arguments that the kernel has", function()
    for _, it in ipairs(said) do
      local dtypes, parts = {}, {}
      for _, argument in ipairs(it.json.args) do dtypes[argument.name] = argument.dtype end
      for _, name in ipairs { "x", "residual", "gamma", "y" } do
        assert.equal(dtypes[name], it.json.contract[name], it.spec .. ": " .. name)
        parts[#parts + 1] = dtypes[name] and name .. " " .. dtypes[name]
      end
      local wanted = #parts > 0 and table.concat(parts, ", ") or nil
      assert.equal(wanted, line_of(it.text, "contract"):match("rounding (.*)$"), it.spec)
    end
  end)

  it("says the same bytes in both forms", function()
    for _, it in ipairs(said) do
      local bytes = {}
      for part in (line_of(it.text, "bytes") .. ", "):gmatch("(.-), ") do
        local read, write = part:match("reads (%d+)"), part:match("writes (%d+)")
        bytes[part:match("per (%l+)$")] = { read = tonumber(read or 0), write = tonumber(write or 0) }
      end
      assert.same(it.json.bytes, bytes, it.spec)
    end
  end)

  it("has columns that can be told apart", function()
    for _, it in ipairs(said) do
      local number = 0
      for line in it.text:match("arguments in call order\n(.*)$"):gmatch("[^\n]+") do
        local fields = {}
        for field in (line:gsub("^ +", "") .. "  "):gmatch("(.-)  +") do fields[#fields + 1] = field end
        number = number + 1
        local a = it.json.args[number]
        local shape = a.shape == "scalar" and a.shape or "[" .. table.concat(a.shape, ", ") .. "]"
        assert.same({ a.name, a.ctype, a.dtype, shape, a.io }, fields, it.spec)
      end
      assert.equal(#it.json.args, number)
    end
  end)
end)
