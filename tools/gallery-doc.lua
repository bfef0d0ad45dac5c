-- Prints docs/gallery.md: luajit tools/gallery-doc.lua > docs/gallery.md

package.path = "./?.lua;" .. package.path

local options = require "tools.options"
local tree = require "gen.tree"
local plan = require "gen.plan.plan"
local problem = require "gen.problem.problem"
local spec = require "gen.spec.spec"

local HEAD = [[
# Gallery

Every norm that normgen knows, from its definition in `gen/norms/`, with what it takes according to the parser, and every word
of a spec, from the grammar in `gen/spec/grammar.lua`. `luajit tools/gallery-doc.lua` writes this file. Of norms of rows there is a
kernel of 1024 elements in f32 as an example: its arguments, the passes that it takes, and the error bound of the normalised
value in units of u = 2^-24 (`docs/numerics.md`). `normgen explain` and `normgen describe` tell the same of any spec.
]]

-- What the words of a spec make of a norm: one kernel for each that takes passes of its own.
local WORDS = {
  "layernorm f32 h=1024 addout gate mod", "rmsnorm f32 h=1024 twin", "rmsnorm f32 h=1024 sandwich", "rmsnorm f32 h=1024 groups=8",
  "rmsnorm f32 h=1024 heads=8 strided", "rmsnorm bf16 h=1024 out=s8 quant=row", "rmsnorm bf16 h=1024 out=e4m3 quant=row round=io side",
  "rmsnorm bf16 h=1024 out=u8 quant=static",
}

local lines = {}
local function add(format, ...) lines[#lines + 1] = select("#", ...) > 0 and format:format(...) or format end

local function joined(list) return "`" .. table.concat(list, "` `") .. "`" end

local function arguments(its_problem)
  local list = {}
  for i, argument in ipairs(its_problem.args) do
    local shape = argument.shape == "scalar" and "" or "[" .. table.concat(argument.shape, ", ") .. "]"
    list[i] = argument.name .. shape
  end
  return joined(list)
end

local function add_kernel(text)
  local its_problem = problem.new(spec.parse(text))
  add("`%s`", its_problem.spec)
  add ""
  add("- arguments: %s", arguments(its_problem))
  for _, note in ipairs(plan.notes(plan.new(its_problem))) do add("- %s", (note:gsub("%*", "\\*"))) end
  return its_problem
end

add(HEAD)
add "| norm | what | formula | source | parameters |"
add "|---|---|---|---|---|"
for _, name in ipairs(tree.norms()) do
  local norm = require("gen.norms." .. name)
  local formula = norm.formula:gsub("|", "\\|")
  add("| `%s` | %s | `%s` | %s | `affine=%s` |", name, norm.title, formula, norm.cites, norm.affine)
end
add ""
add "| norm | dtypes | options |"
add "|---|---|---|"
for _, name in ipairs(tree.norms()) do
  local dtypes, labels = options.of(name)
  add("| `%s` | %s | %s |", name, joined(dtypes), joined(labels))
end
add ""
for _, name in ipairs(tree.norms()) do
  local norm = require("gen.norms." .. name)
  if not norm.directions then
    add("## %s", norm.title)
    add ""
    local bound = add_kernel(name .. " f32 h=1024").error_bound
    add("- error: at most %g u relative + %g u absolute; %s", bound.rel_u, bound.abs_u, norm.domain)
    add ""
  end
end
add "## Words"
add ""
add "| key | words | meaning |"
add "|---|---|---|"
for _, row in ipairs(spec.grammar) do
  local texts, about = spec.supported(row), spec.about(row):gsub("|", "\\|")
  add("| %s | %s | %s |", row.key and "`" .. row.key .. "=`" or "", #texts > 0 and joined(texts) or "a number", about)
end
add ""
add "What some of them make of a kernel:"
add ""
for _, text in ipairs(WORDS) do
  add_kernel(text)
  add ""
end
print((table.concat(lines, "\n"):gsub("\n$", "")))
