-- Prints docs/models.md: luajit tools/models-doc.lua > docs/models.md

package.path = "./?.lua;" .. package.path

local literal = require "gen.c.literal"
local models = require "models.models"

local HEAD = [[
# Models

What `normgen model NAME` knows: for each built-in model its norms, in the order of the forward pass, with the spec
of the kernel that fits. The same comes from the model's `config.json` (`normgen model path/to/config.json`), and as
JSON with `--json`. `luajit tools/models-doc.lua` writes this file.

Names of sites are those of the modules in the reference code (Hugging Face transformers, diffusers, or the model's
own code); `layers.0.` is in front where the first layer differs from the others. The sites are those of the base
model: heads for a task are left out. Sites of one model with the same spec share a line. dtype and eps are those of the
published config (f32 where it names none); `--dtype` and `--residual` change them. Where the reference code rounds in
front of gamma the spec says `cast=llama`; `--cast exact` rounds once. Two names with a `+` are one site: the norm of a branch's
output and that of the sum behind it.

What a config does not say is not guessed: `--set NAME=VALUE` gives a field, or another value for one (JSON, else a string; dots
reach into objects; may be repeated), e.g. `--set text_config.head_dim=128`. Only in the configs of parts, which hold what differs
from the configuration class, missing fields have the values of the class. A model of a type that is not known but whose parts name
theirs comes as the sites of the parts that are known, and an entry for the rest.

The other model types that a `config.json` may have (`python3 tools/model-coverage.py` prints which ones of transformers are known,
and the suite `peers` compares all of them with its code):

%s.
]]

local lines = {}

local function add(format, ...) lines[#lines + 1] = select("#", ...) > 0 and format:format(...) or format end

-- Sites with the same spec and eps together, in order of first appearance.
local function grouped(sites)
  local groups, index = {}, {}
  for _, site in ipairs(sites) do
    local key = site.spec and ("%s %s"):format(site.spec, site.eps) or "not emitted: " .. site.note
    if not index[key] then
      index[key] = { first = site, names = {} }
      groups[#groups + 1] = index[key]
    end
    table.insert(index[key].names, "`" .. site.site .. "`")
  end
  return groups
end

local function unused_types()
  local used, list = {}, {}
  for _, model in ipairs(models.published()) do used[model.model_type] = true end
  for _, model_type in ipairs(models.types()) do
    if not used[model_type] then list[#list + 1] = "`" .. model_type .. "`" end
  end
  return table.concat(list, ", "), #list
end

add((HEAD:format(unused_types()):gsub("\n$", "")))
add ""
add "| model | type | sites | spec | eps |"
add "|---|---|---|---|---|"
for _, model in ipairs(models.published()) do
  local found = models.sites(models.fields(model.name), { source = model.name })
  for i, group in ipairs(grouped(found.sites)) do
    local site = group.first
    add("| %s | %s | %s | %s | %s |", i == 1 and "`" .. model.name .. "`" or "", i == 1 and model.model_type or "",
      table.concat(group.names, ", "), site.spec and "`" .. site.spec .. "`" or "not emitted yet: " .. site.note,
      literal.decimal(site.eps))
  end
end
print(table.concat(lines, "\n"))
