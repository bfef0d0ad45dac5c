-- The loops that kernels spend their time in, as compilers make them: no sum is spilled, nothing is converted one by one, no call,
-- and as many loads and stores as the passes over a row need. Prints what each loop does; then plants faults, which must be found.
--   luajit tests/audit/hotloops.lua

package.path = "./?.lua;" .. package.path

local code = require "tests.audit.hotloops_code"
local files = require "tests.support.files"
local normgen = require "tests.support.normgen"

local unpack = table.unpack or unpack

-- bytes: of a vector. held: the compilers that must keep to the limits; the loops of others are only shown.
local TARGETS = {
  { name = "avx2", arch = "x86_64", bytes = 32, held = { gcc = true } },
  { name = "avx512", arch = "x86_64", bytes = 64, held = { gcc = true } },
  { name = "avx512bf16", arch = "x86_64", bytes = 64, held = { gcc = true } },
  { name = "neon", arch = "aarch64", bytes = 16, held = { gcc = true, clang = true } },
}
local BYTES = { f32 = 4, bf16 = 2 }
local PARAMETERS = { rmsnorm = 1, layernorm = 2 }
local LANES = 64

-- The functions that avx512bf16 calls where a result is zero.
local COLD = "_with_zeros$"

-- Accesses to the stack that gcc 12 makes in one turn; at most so many, and elsewhere none. rows: as many as pass 2 walks side by
-- side. kept: values that do not change and do not fit into the registers beside the rest. spilled: sums that do not, written and
-- read again.
local ALLOWED = {
  -- The values of all rows, and the constants that rounding takes, in 16 registers.
  { target = "avx2", spec = "^rmsnorm bf16", pass = 2, rows = 4, kept = 2 },
  { target = "avx2", spec = "^layernorm f32 h=768$", pass = 2, rows = 4, kept = 2 },
  { target = "avx2", spec = "^layernorm bf16", pass = 2, rows = 2, kept = 4 },
  -- Two sums for each slot beside two matrices and what rounding takes: one or two of eight sums. 1 is among the constants.
  { target = "avx2", spec = "^layernorm bf16.*addout", pass = 1, spilled = 4, kept = 3 },
  -- One walk over a long row has sixteen sums in as many registers. Two walks spill none and take up to 1.45 times as long.
  { target = "avx2", spec = "^layernorm f32 h=4096 addout$", pass = 1, spilled = 14 },
  -- gcc reads far ahead of the sums, and rounding to bf16 takes many instructions here: one, five and two of 16 sums.
  { target = "neon", spec = "^rmsnorm f32.*addout", pass = 1, spilled = 2 },
  { target = "neon", spec = "^rmsnorm bf16.*addout", pass = 1, spilled = 10 },
  { target = "neon", spec = "^layernorm bf16.*addout", pass = 1, spilled = 4 },
}

local function specs()
  local list = {}
  for _, norm in ipairs { "rmsnorm", "layernorm" } do
    for _, dtype in ipairs { "f32", "bf16" } do
      for _, h in ipairs { 768, 4096 } do
        for _, fusion in ipairs { "", " addout" } do
          list[#list + 1] = { norm = norm, dtype = dtype, addout = fusion ~= "",
            text = ("%s %s h=%d%s"):format(norm, dtype, h, fusion),
            name = ("%s_fwd_%s_h%d%s"):format(norm, dtype, h, fusion:gsub(" ", "_")) }
        end
      end
    end
  end
  return list
end

local SPECS = specs()
local scratch = normgen.scratch()

local function run(line)
  local status, out, err = normgen.sh(line)
  assert(status == 0, line .. "\n" .. err)
  return out
end

local function have(tool) return (normgen.sh("command -v " .. tool)) == 0 end

-- The innermost loops of a kernel's C, `{ first=, last=, step=, pass=, rows=, streams= }`: lines, elements of a turn, the pass over
-- the row, the rows that pass 2 walks side by side, whether it can write past the caches.
local function loops_in_c(text)
  local rows, list, number, pass, alone, open = tonumber(text:match("Schedule:  rows=(%d+)")), {}, 0, nil, false, {}
  for line in text:gmatch("([^\n]*)\n") do
    number = number + 1
    pass = tonumber(line:match("/%* Pass (%d) of 2:")) or pass
    alone = alone or line:find("for (; row < rows; ++row)", 1, true) ~= nil
    local indent = line:match("^( *)for %(")
    if indent then
      for _, outer in ipairs(open) do outer.is_outer = true end
      open[#open + 1] = { first = number, indent = indent, pass = pass, rows = alone and 1 or rows,
        step = tonumber(line:match("i %+= (%d+)")) }
    end
    local loop = open[#open]
    if loop and line:find("if (streams)", 1, true) then loop.streams = true end
    if loop and line == loop.indent .. "}" then
      loop.last = number
      if not loop.is_outer then list[#list + 1] = loop end
      open[#open] = nil
    end
  end
  return list, { strips = tonumber(text:match("strips=(%d+)")), blocks = tonumber(text:match("blocks=(%d+)")) }
end

-- What one turn of a loop has to read and write, in vectors. Pass 1 reads x and, if there is one, the residual, and stores their
-- sum; all strips together, and both blocks that are walked side by side. Pass 2 reads x or the sum, and the parameters once for
-- all rows, and stores y.
local function expected(spec, target, loop, schedule)
  local vectors = loop.step * BYTES[spec.dtype] / target.bytes
  if loop.pass == 1 then
    assert(loop.step == LANES)
    vectors = vectors / schedule.strips * schedule.blocks
    return { loads = vectors * (spec.addout and 2 or 1), stores = spec.addout and vectors or 0, streamed = 0 }
  end
  local stores = vectors * loop.rows
  return { loads = stores + vectors * PARAMETERS[spec.norm], stores = stores, streamed = loop.streams and stores or 0 }
end

local NOTHING = { kept = 0, spilled = 0 }

local function allowance(compiler, target, spec, loop)
  for _, row in ipairs(ALLOWED) do
    local is_meant = row.target == target.name and spec.text:find(row.spec) and row.pass == loop.pass
    if compiler == "gcc" and is_meant and (not row.rows or row.rows == loop.rows) then return row end
  end
  return NOTHING
end

-- What is wrong with a loop: array of texts.
local function wrong_with(found, wanted, spec, allowed)
  local list = {}
  local function expect(what, least, most)
    if found[what] < least or found[what] > most then
      list[#list + 1] = ("%s: %d, not %s%d"):format(what, found[what], least < most and "at most " or "", most)
    end
  end
  for _, what in ipairs { "loads", "stores", "streamed" } do expect(what, wanted[what], wanted[what]) end
  for _, what in ipairs { "scalar", "calls", "fixed", "other" } do expect(what, 0, 0) end
  for _, what in ipairs { "spilled", "kept" } do expect(what, 0, allowed[what] or 0) end
  -- A vector of bf16 is shifted for its even elements and masked for its odd ones; gcc makes a load of each.
  local both = spec.dtype == "bf16" and math.min(found.again_both, found.loads) or 0
  expect("again", both, both)
  return list
end

-- The loop of the C that most instructions of a loop come from.
local function loop_of(instructions, loops, file)
  local best, most = nil, 0
  for _, loop in ipairs(loops) do
    local count = 0
    for _, i in ipairs(instructions) do
      if i.file == file and i.line >= loop.first and i.line <= loop.last then count = count + 1 end
    end
    if count > most then best, most = loop, count end
  end
  return best
end

local COLUMNS = { "instructions", "loads", "again", "stores", "streamed", "spilled", "kept", "fixed", "other", "scalar", "calls" }
local ROW = "%-34s %-10s %-5s %4s %4s %12s" .. (" %8s"):rep(#COLUMNS - 1)

-- Checks the loops of a kernel. Returns how many there are, and an array of what is wrong; show: called with each row of the table.
local function check(spec, target, compiler, f, source, show)
  local name = ("%s %s %s"):format(spec.name, target.name, compiler)
  local loops, schedule = loops_in_c(files.read(source))
  local wrong, rows, count, passes = {}, {}, 0, {}
  for _, instructions in ipairs(code.innermost_loops(f, COLD)) do
    local loop, found = loop_of(instructions, loops, source:match("[^/]*$")), code.count(instructions, f)
    count = count + 1
    if loop then
      loop.seen = true
      local cells = {}
      for i, column in ipairs(COLUMNS) do cells[i] = found[column] end
      rows[#rows + 1] = { line = loop.first, text = ROW:format(spec.name, target.name, compiler, loop.pass, loop.rows, unpack(cells)) }
      local allowed = allowance(compiler, target, spec, loop)
      for _, text in ipairs(wrong_with(found, expected(spec, target, loop, schedule), spec, allowed)) do
        wrong[#wrong + 1] = ("%s, pass %d, rows %d, line %d: %s"):format(name, loop.pass, loop.rows, loop.first, text)
      end
    else
      wrong[#wrong + 1] = name .. ": a loop that is none of the C"
    end
  end
  for _, loop in ipairs(loops) do
    passes[loop.pass] = true
    if not loop.seen then wrong[#wrong + 1] = ("%s: no such loop any more: line %d of the C"):format(name, loop.first) end
  end
  if not (passes[1] and passes[2]) then wrong[#wrong + 1] = name .. ": a pass has no loop in the C" end
  table.sort(rows, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    return a.text < b.text
  end)
  for _, row in ipairs(rows) do show(row.text) end
  return count, wrong
end

-- The tools for a target: prefix of binutils and gcc, compilers by name with how they are called; or nil and what is missing.
local function tools_for(target, machine)
  local prefix = target.arch == machine and "" or target.arch .. "-linux-gnu-"
  for _, tool in ipairs { "gcc", "ld", "objdump" } do
    if not have(prefix .. tool) then return nil, prefix .. tool end
  end
  local compilers = { { name = "gcc", command = prefix .. "gcc" } }
  if have "clang" then compilers[2] = { name = "clang", command = ("clang --target=%s-linux-gnu"):format(target.arch) } end
  return { prefix = prefix, compilers = compilers }
end

-- The functions in the sources (array of paths), compiled together: what takes long is to read the intrinsics. The program is
-- linked, so that jumps and calls have targets; -g says which line an instruction comes from, and changes none.
local function functions_of(sources, target, tools, compiler, flags)
  local main = scratch .. "/main"
  local includes = {}
  for i, source in ipairs(sources) do includes[i] = ('#include "%s"\n'):format(source) end
  files.write(main .. ".c", table.concat(includes))
  run(("%s -O2 -g %s -c %s.c -o %s.o"):format(compiler.command, flags or "", main, main))
  run(("%sld -e 0 %s.o -o %s"):format(tools.prefix, main, main))
  local by_name = {}
  local text = run(("%sobjdump -dl --inlines --no-show-raw-insn %s"):format(tools.prefix, main))
  for _, f in ipairs(code.functions(text, target.arch)) do by_name[f.name] = f end
  return by_name
end

local function symbol(spec, target) return "ng_" .. spec.name .. "_" .. target.name end

-- fault: what a loop must not do. seen: the number that gives it away. target, spec: the kernel. flags: of gcc; or prefix and text,
-- replacement, the edit of the C: the first occurrence of the text.
local FAULTS = {
  { fault = "sums on the stack", seen = "spilled", target = "avx2", spec = "rmsnorm f32 h=4096",
    flags = "-ffixed-xmm8 -ffixed-xmm9 -ffixed-xmm10 -ffixed-xmm11 -ffixed-xmm12 -ffixed-xmm13 -ffixed-xmm14 -ffixed-xmm15" },
  { fault = "no optimisation", seen = "spilled", target = "neon", spec = "layernorm f32 h=768", flags = "-O0" },
  { fault = "a vector read twice", seen = "again", target = "avx512", spec = "layernorm f32 h=4096", text = "const __m512 gamma1 =",
    replacement = "(void)*(const volatile __m512 *)(const volatile void *)(gamma + i); const __m512 gamma1 =" },
  { fault = "a vector more", seen = "loads", target = "avx2", spec = "layernorm bf16 h=768 addout", text = "const __m256i gamma_raw =",
    replacement = "(void)*(const volatile __m256i *)(const volatile void *)(x + i); const __m256i gamma_raw =" },
  { fault = "a store more", seen = "stores", target = "neon", spec = "rmsnorm f32 h=768 addout", text = "vst1q_f32(y_row + i,",
    replacement = "*(volatile float32x4_t *)(volatile void *)(y_row + i) = one; vst1q_f32(y_row + i," },
  { fault = "a conversion", seen = "scalar", target = "avx512", spec = "rmsnorm f32 h=768", text = "squares = _mm512_fmadd_ps(x1,",
    replacement = "squares = _mm512_fmadd_ps(_mm512_set1_ps((float)(x_row[i] * 1.1)),", },
  { fault = "a conversion", seen = "scalar", target = "neon", spec = "rmsnorm f32 h=4096", text = "squares = vfmaq_f32(squares, x1,",
    replacement = "squares = vfmaq_f32(squares, vdupq_n_f32((float)(x_row[i] * 1.1)),", },
  { fault = "a call", seen = "calls", target = "avx512bf16", spec = "rmsnorm bf16 h=768",
    prefix = "static __attribute__((__noinline__)) void elsewhere(void) { __asm__ volatile(\"\"); }\n",
    text = "const __m512i gamma_raw =", replacement = "elsewhere(); const __m512i gamma_raw =" },
}

local function spec_of(text)
  for _, spec in ipairs(SPECS) do
    if spec.text == text then return spec end
  end
end

local function is_caught(fault, target, tools)
  local spec = spec_of(fault.spec)
  local file = symbol(spec, target) .. ".c"
  local source = files.read(scratch .. "/" .. file)
  if fault.text then
    local first, last = source:find(fault.text, 1, true)
    assert(first, fault.fault .. ": its text does not occur in " .. file)
    source = (fault.prefix or "") .. source:sub(1, first - 1) .. fault.replacement .. source:sub(last + 1)
  end
  local path = scratch .. "/fault/" .. file
  files.write(path, source)
  local by_name = functions_of({ path }, target, tools, tools.compilers[1], fault.flags)
  local _, wrong = check(spec, target, "gcc", by_name[symbol(spec, target)], path, function() end)
  for _, text in ipairs(wrong) do
    if text:find(": " .. fault.seen .. ": ", 1, true) then return true, text end
  end
  return false, table.concat(wrong, "; ")
end

local function main()
  local machine = run("uname -m"):match("%S+")
  local usable, names, words = {}, {}, { "emit" }
  for _, target in ipairs(TARGETS) do
    local tools, lacks = tools_for(target, machine)
    if tools then
      usable[#usable + 1], names[#names + 1] = { target = target, tools = tools }, target.name
    else
      print(("SKIPPED: %s: not installed: %s"):format(target.name, lacks))
    end
  end
  if #usable == 0 then return 77 end
  if not have "clang" then print("not installed: clang") end
  for _, spec in ipairs(SPECS) do words[#words + 1] = spec.text end
  for _, word in ipairs { "--target", table.concat(names, ","), "-o", scratch } do words[#words + 1] = word end
  assert(normgen.run(words) == 0)

  local held, shown, failures, beyond = 0, 0, {}, {}
  print(ROW:format("kernel", "target", "by", "pass", "rows", unpack(COLUMNS)))
  for _, entry in ipairs(usable) do
    local target, sources = entry.target, {}
    for i, spec in ipairs(SPECS) do sources[i] = ("%s/%s.c"):format(scratch, symbol(spec, target)) end
    for _, compiler in ipairs(entry.tools.compilers) do
      print(run(compiler.command .. " --version"):match("[^\n]*"))
      local by_name = functions_of(sources, target, entry.tools, compiler)
      for i, spec in ipairs(SPECS) do
        local count, wrong = check(spec, target, compiler.name, by_name[symbol(spec, target)], sources[i], print)
        local is_held = target.held[compiler.name]
        if is_held then held = held + count else shown = shown + count end
        local list = is_held and failures or beyond
        for _, text in ipairs(wrong) do list[#list + 1] = text end
      end
    end
  end

  run(normgen.line { "mkdir", scratch .. "/fault" })
  local caught, planted = 0, 0
  for _, fault in ipairs(FAULTS) do
    for _, entry in ipairs(usable) do
      if entry.target.name == fault.target then
        local is_seen, text = is_caught(fault, entry.target, entry.tools)
        planted, caught = planted + 1, caught + (is_seen and 1 or 0)
        print(("planted: %s: %s%s"):format(fault.fault, is_seen and "" or "NOT SEEN ", text))
      end
    end
  end

  for _, text in ipairs(beyond) do print("not held to it: " .. text) end
  for _, text in ipairs(failures) do print("FAILED: " .. text) end
  print(("loops held to the limits: %d, shown: %d, faults seen: %d of %d"):format(held, shown, caught, planted))
  return #failures == 0 and held > 0 and caught == planted and 0 or 1
end

local ok, status = pcall(main)
normgen.remove(scratch)
if not ok then error(status, 0) end
os.exit(status)
