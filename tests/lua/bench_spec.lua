-- normgen bench: its statistics on known data, its reports on known results, and short runs. Nothing here depends on how
-- long anything takes.

local files = require "tests.support.files"
local json = require "dkjson"
local markdown = require "bench.markdown"
local normgen = require "tests.support.normgen"
local report = require "bench.report"
local results = require "bench.results"
local rivals = require "bench.rivals"
local spec = require "gen.spec.spec"
local statistics = require "measure.statistics"

local unpack = table.unpack or unpack

local function near(expected, value) assert.is_true(math.abs(expected - value) < 1e-9, expected .. ", not " .. value) end

describe("the statistics", function()
  it("find quartiles", function()
    local q = statistics.quartiles { 5, 1, 4, 2, 3 }
    near(2, q.low)
    near(3, q.median)
    near(4, q.high)
    near(2.5, statistics.quartiles({ 4, 1, 3, 2 }).median)
    near(7, statistics.quartiles({ 7 }).median)
  end)

  it("know the ranks of the sign test", function()
    -- From tables of the sign test at 5 %, two-sided: most equal signs of the rarer kind, plus one.
    for n, rank in pairs { [6] = 1, [8] = 1, [9] = 2, [10] = 2, [15] = 4, [20] = 6, [25] = 8, [50] = 18 } do
      assert.equal(rank, statistics.rank(n))
    end
    assert.is_nil(statistics.rank(5))
    assert.is_nil(statistics.rank(0))
  end)

  it("pair by round and leave out what is missing", function()
    local a = { 2, 4, 6, 8, 10, 12, 14, 16, 18, false, 99 }
    local b = { 1, 2, 3, 4, 5, 6, 7, 4, 3, 7 }
    local ratio = statistics.paired_ratio(a, b)
    assert.equal(9, ratio.pairs)
    near(2, ratio.median)
    near(2, ratio.low)
    near(4, ratio.high)
    assert.is_nil(statistics.paired_ratio({ 1, 2, 3, 4, 5, false }, { 1, 2, 3, 4, 5, 6 }))
  end)

  it("see a difference that a change of the clock hides", function()
    -- Every round is slower than the one before; a is always 1 % slower than b.
    local a, b = {}, {}
    for i = 1, 40 do a[i], b[i] = i * 1.01, i end
    local ratio = statistics.paired_ratio(a, b)
    near(1.01, ratio.low)
    near(1.01, ratio.high)
  end)

  it("take geometric means", function()
    near(2, statistics.geometric_mean { 1, 4 })
    assert.is_nil(statistics.geometric_mean {})
  end)
end)

-- What the bench program might write: a cell of 7 rounds with a kernel for two targets, a variant, rivals and limits.
local function sample_text()
  local lines = { "overhead\tdirect\t1.5", "cell\tlayernorm_fwd_f32_h768\t4\t0\tlayernorm fwd f32 h=768\t100\t100\t50\t0" }
  local function entry(kind, label, target, ns, sits_out_after)
    local values = { "entry", kind, label, target, kind == "kernel" and "rows=1 layout=plain" or "" }
    for round = 1, 7 do
      values[#values + 1] = sits_out_after and round > sits_out_after and "-" or ("%.0f"):format(ns * (10 + round))
    end
    lines[#lines + 1] = table.concat(values, "\t")
  end
  entry("kernel", "s0_", "avx2", 12)
  entry("kernel", "s0_", "avx512", 10)
  entry("kernel", "s1_", "avx512", 9)
  entry("rival", "gcc fast", "", 8)
  entry("rival", "gcc -O3", "", 80, 6)
  entry("inexact", "gcc fast one-pass", "", 5)
  entry("limit", "copy", "", 2)
  entry("limit", "norm-shaped", "", 6)
  entry("limit", "norm-shaped stream", "", 7)
  lines[#lines + 1] = 'rejected\trival\twrong, "they" said\t\ttoo far from the reference'
  return table.concat(lines, "\n") .. "\n"
end

local RANKS = { avx2 = 1, avx512 = 2 }
local CONTEXT = { cpu = "a CPU", l2_bytes = 1024, rounds = 7, compilers = { { name = "cc", what = "kernels", version = "1" } },
  skipped = { "something" } }

describe("the results", function()
  it("compare with the first kernel of the highest target", function()
    local cell = results.parse(sample_text(), RANKS).cells[1]
    assert.equal("avx512", cell.baseline.target)
    assert.equal("s0_", cell.baseline.label)
    assert.is_nil(cell.baseline.ratio)
    near(0.8, results.fastest(cell, "rival").ratio.median)
    near(0.5, results.fastest(cell, "inexact").ratio.median)
    assert.equal(6, results.fastest(cell, "rival", "%-O3").rounds)
    assert.equal("norm-shaped", cell.limit.label)
    near(0.6, cell.baseline.of_limit)
    near(200 / 140, cell.baseline.bytes_per_ns)
  end)

  it("take rivals of another run with the ratios of that run", function()
    local all = results.parse(sample_text(), RANKS)
    local other = results.parse("cell\tlayernorm_fwd_f32_h768\t4\t0\t\t0\t0\t0\t0\n"
      .. "entry\tkernel\ts0_\tavx512\t\t20\t20\t20\t20\t20\t20\nentry\trival\ttorch\t\t\t30\t30\t30\t30\t30\t30\n", RANKS)
    results.merge(all, other)
    local cell = all.cells[1]
    local last = cell.entries[#cell.entries]
    assert.equal("torch", last.label)
    near(1.5, last.ratio.median)
    near(6 * 14 / 30, last.of_limit)
    assert.equal(10, #cell.entries)
  end)
end)

describe("the reports", function()
  local function sample() return results.parse(sample_text(), RANKS) end

  it("have text for every entry", function()
    local text = report.text(sample())
    for _, what in ipairs { "s1_", "gcc %-O3", "norm%-shaped stream", "rejected: wrong", "0 rows, direct: 1.50 ns",
      "0.800 +%[0.800, 0.800%]" } do
      assert.is_truthy(text:find(what), what .. "\n" .. text)
    end
  end)

  it("have one line of csv for each entry, with as many fields as the head", function()
    local count, fields = 0, nil
    for line in report.csv(sample()):gmatch("[^\n]+") do
      local _, commas = line:gsub('"[^"]*"', ""):gsub(",", "")
      fields = fields or commas
      assert.equal(fields, commas)
      count = count + 1
    end
    assert.equal(10, count)
    assert.is_truthy(report.csv(sample()):find("layernorm_fwd_f32_h768,4,,rival,gcc fast,,,7,112,", 1, true))
  end)

  it("have the same in json", function()
    local list = json.decode(report.json(sample()))
    assert.equal(9, #list)
    assert.same({ "gcc fast", 112, 0.8, 4 }, { list[4].label, list[4].ns, list[4].ratio, list[4].rows })
    assert.is_nil(list[2].ratio)
  end)

  it("tell positions apart, and which sizes a table has", function()
    local function cell(positions, ns)
      local samples = ("\t" .. ns):rep(7)
      return "cell\tgroupnorm_fwd_f32_c320_g32_nchw\t2\t" .. positions .. "\tgroupnorm fwd f32 c=320 g=32 layout=nchw\t1\t1\t1\t0\n"
        .. "entry\tkernel\ts0_\tavx512\t" .. samples .. "\nentry\trival\tgcc\t\t" .. ("\t100"):rep(7) .. "\n"
    end
    local all = results.parse(cell(64, 200) .. cell(4096, 50), RANKS)
    results.merge(all, results.parse(cell(4096, 50):gsub("gcc", "torch"), RANKS))
    local text = markdown.text(all, CONTEXT)
    for _, what in ipairs { "1 of 2:\n\n- `groupnorm_fwd_f32_c320_g32_nchw`, 2 rows x 64 positions: gcc 0.500 ",
      "### groupnorm f32 g=32 layout=nchw\n\n| rows x c x positions | ours ", "\n| 2x320x64 | 200 ns |", "\n| 2x320x4096 | 50.0 ns |",
      "| torch / ours |\n", "[2.000, 2.000] | 2.00 |\n", "[0.500, 0.500] | - |\n" } do
      assert.is_truthy(text:find(what, 1, true), what .. "\n" .. text)
    end
    assert.same({ 2, 3 }, { #all.cells[1].entries, #all.cells[2].entries })
    assert.is_truthy(report.text(all):find("groupnorm_fwd_f32_c320_g32_nchw, 2 rows x 4096 positions: reads", 1, true))
    assert.is_truthy(report.csv(all):find("groupnorm_fwd_f32_c320_g32_nchw,2,4096,rival,torch,", 1, true))
  end)

  it("sum up and name who is ahead in markdown", function()
    local text = markdown.text(sample(), CONTEXT)
    for _, what in ipairs {
      "- CPU: a CPU\n", "- left out: something\n", "- left out in 1 cells: wrong, \"they\" said, too far",
      "| f32 layernorm: fastest accurate rival | 1 | 0.80 | 0.80 | `layernorm_fwd_f32_h768`, 4 rows |",
      "| f32 layernorm: fastest one-pass loop | 1 | 0.50 |",
      "rival is ahead, 1 of 1:\n\n- `layernorm_fwd_f32_h768`, 4 rows: gcc fast 0.800 [0.800, 0.800]\n",
      "### layernorm f32\n", "| 4x768 | 140 ns | 60 % | gcc fast | 0.800 [0.800, 0.800] | gcc fast one-pass |",
    } do
      assert.is_truthy(text:find(what, 1, true), what .. "\n" .. text)
    end
    assert.is_nil(text:find("rmsnorm", 1, true))
  end)

  it("go between the marks of a document and leave the rest", function()
    local document = "before\n<!-- BENCH avx2 -->\nold\n<!-- END OF BENCH avx2 -->\nafter\n"
    local new = markdown.replace(document, "avx2", "new\n")
    assert.equal("before\n<!-- BENCH avx2 -->\n\nnew\n\n<!-- END OF BENCH avx2 -->\nafter\n", new)
    assert.equal(new, markdown.replace(new, "avx2", "new\n"))
    assert.is_nil(markdown.replace(document, "avx512", "new\n"))
  end)
end)

describe("the rivals of Python", function()
  it("are asked for plain norms that they know", function()
    for line, is_known in pairs {
      ["rmsnorm bf16 h=8 addout"] = true, ["rmsnorm f32 h=8 add"] = false, ["rmsnorm f32 h=8 layout=nchw"] = false,
      ["l2norm f32 h=8"] = false, ["layernorm f32 h=8 layout=nchw"] = true, ["groupnorm f32 c=8 g=2 layout=nhwc"] = true,
      ["groupnorm f32 c=8 g=2 layout=nhwc act=silu"] = false, ["groupnorm f64 c=8 g=2 layout=nhwc"] = false,
      ["instancenorm f16 c=8 layout=nchw"] = true, ["batchnorm f32 c=8 layout=rows"] = true, ["batchnorm infer f32 c=8 layout=nhwc"] = true,
      ["batchnorm infer f32 c=8 layout=nhwc folded"] = false, ["batchnorm stats f32 c=8 layout=nhwc"] = false,
    } do
      assert.equal(is_known, rivals.can_do(spec.parse(line)), line)
    end
  end)
end)

local RIVALS = "tests/support/rivals.c -O2 -lm"

describe("normgen bench", function()
  it("refuses what it does not understand", function()
    for pattern, words in pairs {
      ["known: plain, double, onednn, libxsmm, torch, onnxruntime, default, all, none"] = { "--rivals", "x" },
      ["did you mean 'plain'"] = { "--rivals", "double,plian" },
      ["a whole number from 1"] = { "--rows", "1,x" },
      ["--rows '1x65' and --positions '64' name no h or c of these kernels, as 64"] = { "--rows", "1x65" },
      ["--positions '0': a whole number from 1 to 9999999"] = { "--positions", "0" },
      ["at least 12"] = { "--rounds", "3" },
      ["allowed are"] = { "--schedule", "rows=3" },
      ["--into takes --format md"] = { "--into", "README.md" },
      ["--table 'channels' takes --into"] = { "--table", "channels" },
    } do
      local code, out, err = normgen.run { "bench", "layernorm f32 h=64", "--target", "native", unpack(words) }
      assert.equal(2, code, err)
      assert.equal("", out)
      assert.is_truthy(err:find("^normgen: [^\n]+\n$") and err:find(pattern, 1, true), err)
    end
  end)

  it("refuses a rival that does not compile", function()
    local code, out, err = normgen.run { "bench", "layernorm f32 h=64", "--target", "native", "--rivals", "none",
      "--rival", "README.md -x c" }
    assert.equal(1, code, err)
    assert.equal("", out)
    assert.is_truthy(err:find("\nnormgen: bench: README.md by cc: [^\n]+\n$"), err)
  end)

  it("sees through rivals that are wrong, and through those that are careless", function()
    local code, out, err = normgen.run { "bench", "layernorm f32 h=64", "--target", "native", "--rows", "70",
      "--rounds", "12", "--rivals", "none", "--rival", RIVALS, "--schedule", "rows=2", "--schedule", "rows=1 strips=1" }
    assert.equal(0, code, err)
    for _, label in ipairs { "short", "rough" } do
      assert.is_truthy(out:find("\n  rejected: " .. label .. ": too far from the reference\n", 1, true), out)
      assert.is_nil(out:find("rival +" .. label))
    end
    assert.is_truthy(out:find("\n  rival +right "), out)
    assert.is_truthy(out:find("\n  rival +with state "), out)
    assert.is_truthy(out:find("\n  inexact +careless "), out)
    assert.is_truthy(out:find("\n  inexact +admits it "), out)
    local _, kernels = out:gsub("\n  kernel ", "")
    assert.equal(3, kernels)
    assert.is_truthy(out:find(" rows=1 strips=1 ", 1, true), out)
    assert.is_truthy(err:find("bench: cell 1 of 1: layernorm_fwd_f32_h64, 70 rows\n", 1, true), err)
  end)

  it("takes positions for the kernels that have some", function()
    local code, out, err = normgen.run { "bench", "batchnorm f32 c=3 layout=nchw", "batchnorm f32 c=4 layout=nhwc", "rmsnorm f32 h=4",
      "--target", "native", "--rows", "2", "--positions", "5,6x4", "--rounds", "12", "--rivals", "none", "--rival", RIVALS }
    assert.equal(0, code, err)
    for _, head in ipairs { "batchnorm_fwd_f32_c3_nchw, 2 rows x 5 positions: reads 120 + 48, writes 120 + 48 bytes",
      "batchnorm_fwd_f32_c4_nhwc, 2 rows x 5 positions", "batchnorm_fwd_f32_c4_nhwc, 2 rows x 6 positions",
      "rmsnorm_fwd_f32_h4, 2 rows: " } do
      assert.is_truthy(out:find(head, 1, true), head .. "\n" .. out)
    end
    assert.is_nil(out:find("c3_nchw, 2 rows x 6", 1, true), out)
    assert.is_truthy(out:match("c4_nhwc, 2 rows x 6 positions.-\n\n"):find("\n  limit +norm%-shaped "), out)
    assert.is_truthy(err:find("bench: cell 1 of 4: batchnorm_fwd_f32_c3_nchw, 2 rows x 5 positions\n", 1, true), err)
    assert.is_truthy(out:find("\n  rival +trains "), out)
    for _, label in ipairs { "forgetful", "lazy" } do
      assert.is_truthy(out:find("\n  rejected: " .. label .. ": too far from the reference\n", 1, true), out)
    end
  end)

  it("has loops for every norm of channels that rivals know", function()
    local code, out, err = normgen.run { "bench", "groupnorm f32 c=6 g=2 layout=nchw", "groupnorm bf16 c=6 g=2 layout=nhwc",
      "instancenorm f32 c=3 layout=nchw", "batchnorm f32 c=3 layout=nchw", "batchnorm f32 c=3 layout=nhwc",
      "batchnorm infer bf16 c=3 layout=nchw", "batchnorm infer f32 c=3 layout=nhwc", "batchnorm infer f32 c=3 layout=rows",
      "layernorm f32 h=5 layout=nchw", "--target", "scalar", "--rows", "3", "--positions", "70", "--rounds", "12", "--rivals", "double" }
    assert.equal(0, code, err)
    local _, count = out:gsub("\n  rival +gcc double ", "")
    assert.equal(9, count, out)
  end)

  it("times no kernel with a wrong bit", function()
    -- A compiler that doubles eps.
    local scratch = normgen.scratch()
    local cc = scratch .. "/cc"
    local file = io.open(cc, "w")
    file:write([[
#!/bin/sh
for last in "$@"; do :; done
case $last in
    */s0_layernorm*.c) sed -i 's/ + eps)/ + 2 * eps)/' "$last" ;;
esac
exec cc "$@"
]])
    file:close()
    normgen.sh("chmod +x " .. cc)
    local code, out, err = normgen.run { "bench", "layernorm f32 h=64", "--target", "scalar", "--rows", "1",
      "--rounds", "12", "--rivals", "none", "--cc", cc }
    normgen.remove(scratch)
    assert.equal(1, code, out .. err)
    assert.equal("", out)
    assert.is_truthy(err:find("its bits are not those of the reference", 1, true), err)
  end)

  it("writes a document that has the marks, and only then starts", function()
    local scratch = normgen.scratch()
    local path = scratch .. "/speed.md"
    local words = { "bench", "rmsnorm f32 h=64", "--target", "scalar", "--rows", "1", "--rounds", "12", "--rivals", "none",
      "--format", "md", "--into", path }
    local code, _, err = normgen.run(words)
    assert.equal(1, code)
    assert.is_truthy(err:find("^normgen: cannot read [^\n]+\n$"), err)
    local file = io.open(path, "w")
    file:write("prose\n<!-- BENCH scalar other -->\n<!-- END OF BENCH scalar other -->\nmore\n")
    file:close()
    words[#words + 1], words[#words + 2] = "--table", "other"
    code, _, err = normgen.run(words)
    local text = files.read(path)
    normgen.remove(scratch)
    assert.equal(0, code, err)
    assert.is_truthy(text:find("^prose\n.*### rmsnorm f32\n.*| 1x64 | .*\nmore\n$"), text)
  end)
end)
