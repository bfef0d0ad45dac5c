-- Kernels of norms over other axes that the tests build.

local covering = require "tests.support.covering"
local requests = require "tests.support.requests"
local spec = require "gen.spec.spec"

local sets = {}

-- What is combined: kernels, sizes with groups of 1 to 96 channels, and words that go together. The first value stands for a
-- factor that has none yet.
local FACTORS = {
  { name = "kernel", values = {
    "groupnorm layout=nchw", "groupnorm layout=nhwc", "groupnorm layout=nchw affine=group", "groupnorm layout=nhwc affine=group",
    "instancenorm layout=nchw", "instancenorm layout=nhwc", "layernorm layout=nchw", "rmsnorm layout=nchw",
    "batchnorm infer layout=nchw", "batchnorm infer layout=nhwc", "batchnorm infer layout=rows", "batchnorm infer folded layout=nchw",
    "batchnorm infer folded layout=nhwc", "batchnorm foldstats", "batchnorm fwd layout=nchw", "batchnorm fwd layout=nhwc",
    "batchnorm fwd layout=rows momentum=onnx", "batchnorm stats layout=nchw", "batchnorm stats layout=nhwc",
    "batchnorm merge layout=nchw", "batchnorm merge layout=rows momentum=onnx", "batchnorm apply layout=nchw",
    "batchnorm apply layout=nhwc", "powernorm fwd layout=nchw", "powernorm fwd layout=nhwc momentum=onnx",
    "powernorm infer layout=nchw", "mvn layout=nchw", "mvn layout=nhwc",
  } },
  { name = "x", values = { "f32", "bf16", "f16", "f64" } },
  { name = "words", values = { "", "add", "addafter", "affine=none", "affine=gamma offset=1", "act=silu", "add act=tanh" } },
  { name = "dtypes", values = { "", "residual=f32", "gamma=f32", "out=f32" } },
  { name = "size", values = { { 9, 3 }, { 1, 1 }, { 40, 4 }, { 60, 2 }, { 80, 1 }, { 192, 2 } } },
}

-- Numbers of channels in a group that the sizes above do not have, shards, and more channels than a chunk has values.
local OTHERS = {
  "groupnorm f32 c=6 g=3 layout=nhwc", "groupnorm f32 c=20 g=4 layout=nhwc", "groupnorm bf16 c=40 g=2 layout=nhwc",
  "groupnorm f32 c=96 g=2 layout=nchw", "groupnorm bf16 c=320 g=32 layout=nhwc act=silu", "groupnorm f32 c=80 g=2 layout=nchw",
  "layernorm f32 h=4100 layout=nchw", "rmsnorm bf16 h=4097 layout=nchw", "batchnorm fwd f32 c=2 layout=nchw",
  "layernorm stats f32 h=768 shards=12", "rmsnorm stats bf16 h=99 shards=3", "layernorm stats f64 h=12 shards=12",
  "layernorm merge f32 h=768 shards=12", "rmsnorm merge f64 h=30 shards=5", "layernorm merge bf16 h=7 shards=7",
  "layernorm apply bf16 h=768 shards=12", "rmsnorm apply f32 h=99 shards=3 affine=none", "rmsnorm apply f16 h=64 shards=2 gamma=f32",
  "batchnorm infer f32 c=24 layout=nchw act=relu", "batchnorm infer f64 c=9 layout=nhwc act=relu",
  "batchnorm fwd bf16 c=20 layout=nhwc act=relu", "batchnorm infer f32 c=40 layout=nchw act=hardswish",
  "batchnorm infer bf16 c=64 layout=nhwc act=relu6 addafter", "groupnorm f32 c=40 g=8 layout=nchw act=mish",
  "groupnorm f16 c=40 g=8 layout=nhwc act=softplus",
}

-- Schedules that take turns.
local TURNS = { {}, { strips = "1" }, { tile = "1" }, { strips = "2" }, { tile = "2" }, { strips = "4" }, { tile = "4" } }

local function text_of(row)
  local words = {}
  for i, factor in ipairs(FACTORS) do
    local value = row[factor.name] or factor.values[1]
    if factor.name == "size" then
      local kernel = row.kernel or FACTORS[1].values[1]
      local key = kernel:find("^%l+norm layout=nchw") and (kernel:find("^layer") or kernel:find("^rms")) and "h" or "c"
      value = ("%s=%d"):format(key, value[1]) .. (kernel:find("^groupnorm") and (" g=%d"):format(value[2]) or "")
    end
    words[i] = value
  end
  return table.concat(words, " ")
end

-- sets.draw(random): the words of any kernel, legal or not.
function sets.draw(random)
  local row = {}
  for _, factor in ipairs(FACTORS) do row[factor.name] = factor.values[random(#factor.values)] end
  return text_of(row)
end

-- Which part of the kernels a target gets: { every so many, counted from }. Others see to it that all are tried.
local SHARES = { scalar = { 4, 0 }, sse2 = { 6, 1 }, avx2 = { 2, 0 }, avx512 = { 2, 1 }, avx512bf16 = { 12, 0 }, neon = { 2, 1 } }

-- The schedules that a kernel takes in turn: legal(text, target, schedule).
function sets.channels(name, legal)
  local texts = {}
  local rows = covering.array(FACTORS, function(row) return (pcall(spec.parse, text_of(row))) end)
  for i, row in ipairs(rows) do texts[i] = text_of(row) end
  for _, text in ipairs(OTHERS) do texts[#texts + 1] = text end
  return requests(name, SHARES[name], { texts }, TURNS, legal)
end

-- Kernels that verify --laws compares: with their steps, with rows, and with the sum added first.
sets.laws = {
  "batchnorm fwd f32 c=10 layout=nchw", "batchnorm stats f32 c=10 layout=nchw", "batchnorm merge f32 c=10 layout=nchw",
  "batchnorm apply f32 c=10 layout=nchw", "batchnorm fwd bf16 c=10 layout=nhwc", "batchnorm stats bf16 c=10 layout=nhwc",
  "batchnorm merge bf16 c=10 layout=nhwc", "batchnorm apply bf16 c=10 layout=nhwc", "groupnorm f32 c=100 g=1 layout=nchw",
  "groupnorm f32 c=40 g=8 layout=nhwc", "groupnorm f32 c=40 g=8 layout=nhwc add", "groupnorm bf16 c=40 g=8 layout=nchw",
  "groupnorm bf16 c=40 g=8 layout=nchw add", "layernorm f32 h=100 layout=nchw", "layernorm f32 h=100 layout=nchw add",
}

return sets
