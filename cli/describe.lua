--- normgen describe: the signature, the contract, the traffic and the error bound of a kernel.

local files = require "host.files"
local inputs = require "host.inputs"
local json = require "host.json"
local names = require "gen.spec.names"
local problem = require "gen.problem.problem"
local spec = require "gen.spec.spec"

local command = {
  summary = "Describe a kernel, given its name or its spec.",
  arguments = { "kernel", "target_path", "prefix", "json" },
  examples = {
    "normgen describe ng_rmsnorm_fwd_bf16_h4096_addout_avx2",
    "normgen describe 'layernorm f32 h=768' --json",
  },
}

local FIELDS = { "name", "spec", "norm", "dir", "h", "contract", "bytes_per_row", "error_bound" }

-- A name is one word with underscores; a spec has spaces between its words.
local function read(args)
  local text, prefix = args.kernel, inputs.prefix(args.prefix)
  if text:find("_", 1, true) and not text:find("%s") then
    return (names.parse(text, { prefix = prefix, targets = inputs.target_names() }))
  end
  return spec.parse(text)
end

local function description(p)
  local result = { args = json.array {} }
  for _, field in ipairs(FIELDS) do result[field] = p[field] end
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

local function text_of(d, has_positions)
  local c, b = d.contract, d.bytes_per_row
  local lines = {
    d.name,
    "  spec      " .. d.spec,
    ("  contract  %d: %s, %s, rounding x %s, residual %s, gamma %s, y %s")
      :format(c.version, c.compute, sums_text(c), c.x, c.residual, c.gamma, c.y),
    ("  bytes     reads %d, writes %d per %s; %d of parameters"):format(b.read, b.write, has_positions and "position" or "row",
      b.parameters),
    error_text(d.error_bound, c.compute),
    "  arguments in call order",
  }
  for _, a in ipairs(d.args) do
    lines[#lines + 1] = ("    %-16s%-11s%-11s%-12s%s"):format(a.name, a.ctype, a.dtype, shape_text(a.shape), a.io)
  end
  return table.concat(lines, "\n") .. "\n"
end

--- @param args parsed arguments
function command.run(args)
  local p = problem.new(read(args))
  local d = description(p)
  files.print(args.json and json.encode(d) or text_of(d, p.axes.has_positions))
end

return command
