--- normgen describe: the signature, the contract, the traffic and the error bound of a kernel.

local columns = require "host.columns"
local files = require "host.files"
local inputs = require "host.inputs"
local json = require "host.json"
local names = require "gen.spec.names"
local problem = require "gen.problem.problem"
local spec = require "gen.spec.spec"
local traffic = require "gen.problem.traffic"

local command = {
  summary = "Describe a kernel, given its name or its spec.",
  arguments = { "kernel", "target_path", "prefix", "json" },
  examples = {
    "normgen describe ng_rmsnorm_fwd_bf16_h4096_addout_avx2",
    "normgen describe 'layernorm f32 h=768' --json",
  },
}

local FIELDS = { "name", "spec", "norm", "dir", "error_bound" }

-- Arguments whose dtypes are those of a spec, by which values are rounded.
local ROUNDED = { "x", "residual", "gamma", "y" }

-- A name is one word with underscores; a spec has spaces between its words.
local function read(args)
  local text, prefix = args.kernel, inputs.prefix(args.prefix)
  if text:find("_", 1, true) and not text:find("%s") then
    return (names.parse(text, { prefix = prefix, targets = inputs.target_names() }))
  end
  return spec.parse(text)
end

-- What the contract says of a kernel, and the dtypes of those arguments that it has.
local function contract_of(p)
  local result = {}
  for key, value in pairs(p.contract) do result[key] = value end
  for _, argument in ipairs(p.args) do
    for _, name in ipairs(ROUNDED) do result[name] = argument.name == name and argument.dtype or result[name] end
  end
  return result
end

local function description(s, p)
  local result = { args = json.array {}, contract = contract_of(p), bytes = {} }
  for _, field in ipairs(FIELDS) do result[field] = p[field] end
  for _, entry in ipairs(spec.words(s)) do
    -- Sizes are what the grammar reads as numbers.
    if entry.row.read then result[entry.row.field] = s[entry.row.field] end
  end
  for _, unit in ipairs(traffic.units(p.bytes)) do result.bytes[unit.name] = { read = unit.read, write = unit.write } end
  for i, a in ipairs(p.args) do
    result.args[i] = { name = a.name, ctype = a.ctype, dtype = a.dtype, shape = a.shape, io = a.io }
  end
  return result
end

local function shape_text(shape)
  return type(shape) == "table" and "[" .. table.concat(shape, ", ") .. "]" or shape
end

-- How sums are formed.
local function sums_text(c)
  return c.order or ("sums in %s over %d lanes, blocks of %d, %s tree"):format(c.acc, c.lanes, c.block, c.tree)
end

local function error_text(bound, compute)
  if not bound then return "  error     depends on the call: docs/numerics.md" end
  return ("  error     at most %g u of the normalised value + %g u absolute, u = %s (%s)")
    :format(bound.rel_u, bound.abs_u, compute == "f64" and "2^-53" or "2^-24", bound.domain)
end

local function text_of(d, bytes)
  local c, dtypes, rows = d.contract, {}, {}
  for _, name in ipairs(ROUNDED) do
    if c[name] then dtypes[#dtypes + 1] = name .. " " .. c[name] end
  end
  local rounding = #dtypes > 0 and ", rounding " .. table.concat(dtypes, ", ") or ""
  local lines = {
    d.name,
    "  spec      " .. d.spec,
    ("  contract  %d: %s, %s%s"):format(c.version, c.compute, sums_text(c), rounding),
    "  bytes     " .. traffic.text(bytes),
    error_text(d.error_bound, c.compute),
    "  arguments in call order",
  }
  for i, a in ipairs(d.args) do rows[i] = { "  ", a.name, a.ctype, a.dtype, shape_text(a.shape), a.io } end
  return table.concat(lines, "\n") .. "\n" .. columns(rows, { 1, 2, 3, 4, 5, 6 })
end

--- @param args parsed arguments
function command.run(args)
  local s = read(args)
  local p = problem.new(s)
  local d = description(s, p)
  files.print(args.json and json.encode(d) or text_of(d, p.bytes))
end

return command
