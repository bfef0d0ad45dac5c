-- normgen tune as its users run it, with a place for records and objects of its own. Nothing depends on how fast anything is.

local files = require "tests.support.files"
local json = require "dkjson"
local lfs = require "lfs"
local native = require "host.native"
local normgen = require "tests.support.normgen"
local pipeline = require "gen.pipeline.pipeline"
local schedule = require "gen.schedule.schedule"

local unpack = table.unpack or unpack
local ROOT = lfs.currentdir()
local HERE = native.target(pipeline.targets()).name
local QUICK = { "--effort", "quick", "--budget", "4s" }

-- What is compiled is shared; records are not.
local home, shared

local function environment() return ("XDG_DATA_HOME=%s/data XDG_CACHE_HOME=%s/cache "):format(home, shared) end

local function line(words, lua)
  return environment() .. ("NORMGEN_LUA=%s "):format(lua or "") .. normgen.line { normgen.path, unpack(words) }
end

local function run(words, lua) return normgen.sh(line(words, lua)) end

local function with(words, more)
  local list = { unpack(words) }
  for _, word in ipairs(more) do list[#list + 1] = word end
  return list
end

local function ok(words, lua)
  local code, out, err = run(words, lua)
  assert.equal(0, code, out .. err)
  return out, err
end

local function refused(code, pattern, words)
  local exit, out, err = run(words)
  assert.equal(code, exit, out .. err)
  assert.is_truthy(err:find(pattern, 1, true), err .. "   wanted: " .. pattern)
end

local function records()
  local list = {}
  for text in files.read(home .. "/data/normgen/tuned.jsonl"):gmatch "[^\n]+" do list[#list + 1] = json.decode(text) end
  return list
end

local function script(name, text)
  files.write(home .. "/" .. name, "#!/bin/sh\n" .. text)
  normgen.sh("chmod +x " .. home .. "/" .. name)
  return home .. "/" .. name
end

describe("normgen tune", function()
  setup(function() shared = normgen.scratch() end)
  teardown(function() normgen.remove(shared) end)
  before_each(function() home = normgen.scratch() end)
  after_each(function() normgen.remove(home) end)

  it("refuses what it does not understand", function()
    for pattern, words in pairs {
      ["a spec or a spec file is missing"] = {},
      ["--merge takes no spec"] = { "rmsnorm f32 h=8", "--merge" },
      ["--merge and --distill: only one of them"] = { "--merge", "--distill" },
      ["unknown regime 'hto', did you mean 'hot'?"] = { "rmsnorm f32 h=8", "--regime", "hto" },
      ["--rows and --regime"] = { "rmsnorm f32 h=8", "--regime", "hot", "--rows", "3" },
      ["--rows 'x'"] = { "rmsnorm f32 h=8", "--rows", "x" },
      ["--budget 'long'"] = { "rmsnorm f32 h=8", "--budget", "long" },
      ["must be one of 'quick', 'normal', 'thorough'"] = { "rmsnorm f32 h=8", "--effort", "some" },
    } do
      refused(2, pattern, { "tune", unpack(words) })
    end
    refused(1, "no target of --target 'scalar' can be tuned", { "tune", "rmsnorm f32 h=8", "--target", "scalar" })
    refused(1, "'no-such-cc' is not installed", { "tune", "rmsnorm f32 h=8", "--cc", "no-such-cc" })
    refused(1, "cannot read '/nowhere'", { "tune", "--import", "/nowhere" })
    refused(2, "--require-tuned needs --tuned", { "emit", "rmsnorm f32 h=8", "--target", "all", "--require-tuned" })
  end)

  it("keeps records that emit and explain use, from every interpreter", function()
    for i, lua in ipairs(normgen.interpreters) do
      local out, err = ok(with({ "tune", "rmsnorm f32 h=24", "--regime", "l2,hot" }, QUICK), lua)
      local first = "^%[1/2%] rmsnorm_fwd_f32_h24 " .. HERE .. "  best [%d.]+ %a?s  [+-]%d+%% vs default  hot, %d+ rows: "
      assert.is_truthy(out:find(first), out)
      assert.is_truthy(out:find("\n[2/2] ", 1, true), out)
      assert.is_truthy(err:find("^tune: governor [^\n]+, turbo [^\n]+, load [^\n]+\n"), err)
      assert.is_nil(err:find "\27")
      local list = records()
      local space = schedule.version(schedule.parse(list[1].schedule))
      assert.same({ 2, "hot", "l2", space }, { #list, list[1].regime, list[2].regime, list[1].space })
      local shown = ok({ "explain", "--stage=schedule", "rmsnorm f32 h=24", "--target", HERE, "--tuned", "user" }, lua)
      assert.is_truthy(shown:find("schedule  " .. list[1].schedule, 1, true), shown)
      assert.is_truthy(shown:find("\nchosen by this CPU and compiler\n", 1, true), shown)
      local out_here = home .. "/out" .. i
      ok({ "emit", "rmsnorm f32 h=24", "--target", HERE .. ",scalar", "--tuned", "user", "--require-tuned", "-o", out_here }, lua)
      local text = files.read(("%s/out%d/ng_rmsnorm_fwd_f32_h24_%s.c"):format(home, i, HERE))
      assert.is_truthy(text:find(" * Schedule:  " .. list[1].schedule, 1, true), text)
    end
    refused(1, "--require-tuned: no record for layernorm_fwd_f32_h24 on " .. HERE,
      { "emit", "layernorm f32 h=24", "--target", HERE, "--tuned", "user", "--require-tuned" })
  end)

  it("prints events, one object in a line, and leaves a record of --rows", function()
    local out = ok(with({ "tune", "rmsnorm f32 h=24", "--rows", "3", "--json" }, QUICK))
    local kinds = {}
    for text in out:gmatch "[^\n]+" do
      local event = json.decode(text)
      kinds[event.event] = event
    end
    assert.is_truthy(kinds.note.text:find "governor")
    assert.same({ "rmsnorm_fwd_f32_h24", 3 }, { kinds.step.name, kinds.step.rows })
    assert.same({ 1, 1, 3 }, { kinds.result.done, kinds.result.of, kinds.result.record.rows })
    assert.equal(1, #records())
  end)

  it("keeps what it knew when it is killed, and goes on from there", function()
    -- A compiler that is stuck with the second kernel for as long as a file exists.
    local cc = script("cc", ([[
for last in "$@"; do :; done
while [ -e %s/stuck ] && grep -q -e rmsnorm_fwd_f32_h23 -- "$last" 2>/dev/null; do sleep 0.1; done
exec cc "$@"
]]):format(home))
    files.write(home .. "/stuck", "")
    local words = with({ "tune", "rmsnorm f32 h=24", "rmsnorm f32 h=23", "--regime", "hot", "--cc", cc }, QUICK)
    local code = normgen.sh(([[
setsid env %s >%s/out 2>&1 & pid=$!
for i in $(seq 600); do grep -q '1/2' %s/out && break; sleep 0.2; done
kill -s KILL -- -$pid
wait $pid]]):format(line(words), home, home))
    assert.equal(137, code)
    local known = records()
    assert.equal(1, #known)
    os.remove(home .. "/stuck")
    local out = ok(words)
    assert.is_truthy(out:find("[2/2] rmsnorm_fwd_f32_h23", 1, true), out)
    assert.equal(2, #records())
    -- The first one was not timed again; after a run that was complete everything is.
    assert.same(known[1], records()[2])
    assert.is_nil(lfs.attributes(shared .. "/cache/normgen/unfinished.jsonl"))
  end)

  it("reports a target that the compiler rejects, and tunes the others", function()
    local lower = HERE:find "avx512" and "avx2" or HERE
    local cc = script("cc", [[
for last in "$@"; do :; done
if grep -q -e rmsnorm_fwd_f32_h22 -- "$last" 2>/dev/null; then echo "x.c:1: error: no such target" >&2; exit 1; fi
exec cc "$@"
]])
    local words = { "tune", "rmsnorm f32 h=22", "rmsnorm f32 h=24", "--target", lower, "--regime", "hot", "--cc", cc }
    local code, out, err = run(with(words, QUICK))
    assert.equal(1, code)
    assert.is_truthy(err:find("rmsnorm_fwd_f32_h22 for " .. lower .. ": x.c:1: error: no such target", 1, true), err)
    assert.is_truthy(err:find("normgen: tune: 1 kernels could not be tuned", 1, true), err)
    assert.is_truthy(out:find("rmsnorm_fwd_f32_h24", 1, true), out)
    assert.equal(1, #records())
  end)

  it("merges and distils what it reads, and leaves other lines of the user's file alone", function()
    ok(with({ "tune", "rmsnorm f32 h=24", "--regime", "hot" }, QUICK))
    local path = home .. "/data/normgen/tuned.jsonl"
    local text = files.read(path)
    for _, option in ipairs { "--merge", "--distill" } do
      local code, out, err = normgen.sh(("(cat %s %s; echo garbage) | %s"):format(path, path, line { "tune", option }))
      assert.same({ 0, text, "tune: standard input:3: skipped: no JSON object\n" }, { code, out, err })
    end
    files.write(path, "garbage\n" .. text)
    local _, err = ok(with({ "tune", "rmsnorm f32 h=24", "--regime", "hot" }, QUICK))
    assert.is_truthy(err:find("skipped: no JSON object", 1, true), err)
    assert.is_truthy(files.read(path):find "\ngarbage\n$")
    refused(1, "--require-tuned: 1 records cannot be used",
      { "emit", "rmsnorm f32 h=24", "--target", HERE, "--tuned", "user", "--require-tuned" })
    ok { "emit", "rmsnorm f32 h=24", "--target", HERE, "--tuned", "user", "-o", home .. "/out" }
  end)

  it("works through a runner", function()
    local runner = script("runner", ('echo "$@" >>%s/calls; exec "$@"\n'):format(home))
    ok(with({ "tune", "rmsnorm f32 h=24", "--regime", "hot", "--runner", runner }, QUICK))
    assert.equal(1, #records())
    for call in files.read(home .. "/calls"):gmatch "[^\n]+" do assert.is_truthy(call:find "^/%S+/runner %d[%d ]+$", call) end
  end)

  it("copies a program and runs it there, with tools/ssh-runner.sh", function()
    local ssh = script("ssh", ('shift; mkdir -p %s/there; cd %s/there && exec sh -c "$1"\n'):format(home, home))
    local program = script("program", 'printf "%s|" "$@"; exit 3\n')
    for _ = 1, 2 do
      local code, out, err = normgen.sh(("SSH=%s %s/tools/ssh-runner.sh board %s 1 \"it's\" 'a b'"):format(ssh, ROOT, program))
      assert.same({ 3, "1|it's|a b|", "" }, { code, out, err })
    end
    assert.equal(1, #files.under(home .. "/there/.cache", ""))
  end)

  local is_installed = normgen.sh "command -v qemu-aarch64 && command -v aarch64-linux-gnu-gcc" == 0

  it("makes a bundle that runs elsewhere, whose results it reads; and tunes for a foreign target", function()
    if not is_installed then return pending "no qemu-aarch64 or aarch64-linux-gnu-gcc" end
    local cpu = "qemu-aarch64 -cpu neoverse-n1"
    ok { "tune", "--export", home .. "/bundle", "rmsnorm f32 h=24", "--target", "neon", "--effort", "quick", "--regime", "hot,l2" }
    local code, out, err = normgen.sh(("cd / && CC='aarch64-linux-gnu-gcc' RUN='%s' sh %s/bundle/run.sh >%s/result.jsonl")
      :format(cpu, home, home))
    assert.equal(0, code, out .. err)
    ok { "tune", "--import", home .. "/result.jsonl" }
    local list = records()
    assert.same({ 2, "arm-41-d0c-4-1", "neoverse-n1", "neon", "gcc " }, { #list, list[1].cpu, list[1].microarchitecture, list[1].target,
      list[1].compiler:sub(1, 4) })
    -- This machine is another one, so the record answers as that of the same target.
    local shown = ok { "explain", "--stage=schedule", "rmsnorm f32 h=24", "--target", "neon", "--tuned", "user" }
    assert.is_truthy(shown:find("chosen by the same target, the nearest h", 1, true), shown)
    ok { "emit", "rmsnorm f32 h=24", "--target", "neon", "--tuned", "user", "--require-tuned", "-o", home .. "/out" }
    local text = files.read(home .. "/out/ng_rmsnorm_fwd_f32_h24_neon.c")
    assert.is_truthy(text:find(" * Schedule:  " .. list[1].schedule, 1, true))
    -- Results that are not complete, or of something else.
    local result = files.read(home .. "/result.jsonl")
    files.write(home .. "/cut.jsonl", (result:gsub('{"end":true}\n$', "")))
    refused(1, "the results are not complete", { "tune", "--import", home .. "/cut.jsonl" })
    files.write(home .. "/wrong.jsonl", (result:gsub('{"end"', '{"wrong":1}\n{"end"', 1)))
    refused(1, "its bits are not those of the reference", { "tune", "--import", home .. "/wrong.jsonl" })
    files.write(home .. "/other.jsonl", '{"some":1}\n')
    refused(1, "not what a bundle", { "tune", "--import", home .. "/other.jsonl" })
    ok(with({ "tune", "rmsnorm f32 h=24", "--target", "neon", "--regime", "hot", "--runner", cpu }, QUICK))
    assert.equal(2, #records())
  end)
end)
