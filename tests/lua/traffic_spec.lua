-- What bytes are counted for, by hand. tests/bits/traffic.c counts those of every kernel of the reference set by what it does, for calls
-- of one batch and one chunk.

local problem = require "gen.problem.problem"
local spec = require "gen.spec.spec"
local traffic = require "gen.problem.traffic"

local TEXTS = {
  { "rmsnorm f32 h=64", "reads 256 and writes 256 per row, reads 256 per call" },
  { "rmsnorm f32 h=64 affine=none", "reads 256 and writes 256 per row" },
  { "layernorm bf16 residual=f32 h=100 addout stats", "reads 600 and writes 608 per row, reads 400 per call" },
  { "rmsnorm f32 h=64 groups=4 stats affine=none", "reads 256 and writes 272 per row" },
  { "rmsnorm bf16 h=64 mod affine=gamma gamma=f32", "reads 128 and writes 128 per row, reads 512 per batch, reads 256 per call" },
  { "rmsnorm f32 h=64 out=s8 quant=row affine=none", "reads 256 and writes 68 per row" },
  { "fold f32 h=64", "reads 260 and writes 260 per row, reads 512 per call" },
  { "rmsnorm stats f32 h=64 shards=4", "reads 64 and writes 4 per row" },
  { "rmsnorm merge f32 h=64 shards=4", "reads 16 and writes 4 per row" },
  { "layernorm apply f32 h=64 shards=4", "reads 76 and writes 64 per row, reads 128 per call" },
  { "groupnorm f32 c=64 g=4 layout=nhwc affine=group", "reads 256 and writes 256 per position, reads 32 per call" },
  { "batchnorm fwd f32 c=64 layout=nchw", "reads 256 and writes 256 per position, reads 1024 and writes 1024 per call" },
  { "batchnorm infer f32 c=64 layout=rows", "reads 256 and writes 256 per row, reads 1024 per call" },
  { "batchnorm stats f32 c=64 layout=nhwc", "reads 256 per position, writes 768 per chunk" },
  { "batchnorm merge f32 c=64 layout=nhwc", "reads 768 per chunk, reads 512 and writes 1280 per call" },
  { "batchnorm foldstats f32 c=64", "reads 1024 and writes 512 per row" },
}

describe("traffic", function()
  for _, case in ipairs(TEXTS) do
    it("of " .. case[1], function()
      assert.equal(case[2], traffic.text(problem.new(spec.parse(case[1])).bytes))
    end)
  end
end)
