--- normgen list: norms, targets, spec words, built-in models, or the kernels that specs and targets give.

local columns_text = require "host.columns"
local tree = require "gen.tree"
local emission = require "cli.emission"
local files = require "host.files"
local inputs = require "host.inputs"
local json = require "host.json"
local models = require "models.models"
local names = require "gen.spec.names"
local pipeline = require "gen.pipeline.pipeline"
local rules = require "cli.rules"
local spec = require "gen.spec.spec"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local command = {
  summary = "List norms, targets, options, models, or the kernels of specs.",
  arguments = { "what", "target", "target_path", "prefix", "schedule", "single", "list_format" },
  examples = {
    "normgen list norms",
    "normgen list targets --format json",
    "normgen list options",
    "normgen list models",
    "normgen list specs/llama3_8b.lua --target avx2,neon --format json",
    "normgen list specs/llama3_8b.lua --target scalar,avx2 --format make > kernels.mk",
  },
}

-- Each topic: rows for JSON, and the columns of the text.
local topics = {}

function topics.norms()
  local rows = {}
  for i, name in ipairs(tree.norms()) do
    local norm = require("gen.norms." .. name)
    rows[i] = { name = name, affine = norm.affine, cites = norm.cites }
  end
  return rows, { "name", "affine", "cites" }
end

function topics.targets()
  local rows = {}
  for i, target in ipairs(pipeline.targets()) do
    local features = json.array {}
    for j, feature in ipairs(target.features) do features[j] = feature.name end
    rows[i] = { name = target.name, arch = target.arch, features = features }
  end
  return rows, { "name", "arch", "features" }
end

function topics.options()
  local rows = {}
  for _, row in ipairs(spec.grammar) do
    local texts = spec.supported(row)
    if row.read or #texts > 0 then
      rows[#rows + 1] = { word = row.key and row.key .. "=" or "", values = json.array(texts), about = spec.about(row) }
    end
  end
  return rows, { "word", "values", "about" }
end

function topics.models() return models.published(), { "name", "model_type" } end

local function kernels(args)
  local rows, prefix = {}, inputs.prefix(args.prefix)
  local specs, targets = inputs.specs(args.what), inputs.targets(args.target)
  for _, s in ipairs(specs) do
    local name = names.build(s)
    for _, target in ipairs(targets) do
      local symbol = prefix .. name .. "_" .. target.name
      rows[#rows + 1] = { spec = spec.format(s), name = name, target = target.name, symbol = symbol,
        file = symbol .. ".c", arch = target.arch }
    end
  end
  return rows, { "symbol", "spec" }
end

-- One word alone is a topic, anything else a spec or a file.
local function topic_of(what)
  local word = what[1]
  if #what > 1 or word:find("%s") or inputs.is_file(word) then return kernels end
  return topics[word] or suggest.unknown("topic", word, { "norms", "targets", "options", "models" })
end

-- The rows of what is asked for, as text or JSON.
local function table_text(args, rows_of)
  local rows, columns = rows_of(args)
  return args.format == "json" and json.encode(json.array(rows)) or columns_text(rows, columns)
end

--- @param args parsed arguments
function command.run(args)
  local rows_of = topic_of(args.what)
  if not rules.has(args.format) then return files.print(table_text(args, rows_of)) end
  if rows_of ~= kernels then usage.fail("--format %s is for specs, not for topics", args.format) end
  files.print(rules.text(args.format, emission.new(args.what, args.single and "single" or "dir", args)))
end

return command
