-- Machine code as objdump prints it: functions, their innermost loops, and what one turn of a loop does with memory.

local code = {}

-- Operands are separated by commas outside of brackets.
local function split(text)
  local list, depth, from = {}, 0, 1
  for at = 1, #text + 1 do
    local char = text:sub(at, at)
    if char:find("[%(%[{]") then depth = depth + 1 end
    if char:find("[%)%]}]") then depth = depth - 1 end
    if char == "" or (char == "," and depth == 0) then
      list[#list + 1] = text:sub(from, at - 1):match("^%s*(.-)%s*$")
      from = at + 1
    end
  end
  return list
end

-- An instruction set says of an instruction `{ op=, operands= }`:
--   flow(op): "jump", "branch", "end" or "call", or nil.
--   decode(i): what it does. `memory`: its accesses, each `{ kind = "load" | "store" | "streamed" | "other", base=, index=, scale=,
--     offset=, writes=true if it does }`. `writes`: the registers of integers that it changes after that, each
--     `{ name, number that is added or nil }`. `scalar`: true for floating-point arithmetic or a conversion of one number.
--   stack, frame: registers of the stack; frame is one only where `sets_frame(i)` holds for an instruction of the function.
local x86 = { stack = "rsp", frame = "rbp" }

function x86.flow(op)
  if op == "jmp" then return "jump" end
  if op:find("^j") then return "branch" end
  if op == "ret" or op == "ud2" then return "end" end
  return op == "call" and "call" or nil
end

function x86.sets_frame(i) return i.op == "mov" and i.operands[1] == "%rsp" and i.operands[2] == "%rbp" end

-- eax, rax: the same register.
local function whole(name) return (name:gsub("^e", "r"):gsub("^(r%d+)d$", "%1")) end

-- Two's complement of 64 bits, as objdump prints negative numbers, fits no Lua number everywhere.
local function immediate(text)
  local high, low = text:match("^%$0x(ffffffff)(%x%x%x%x%x%x%x%x)$")
  if high then return tonumber(low, 16) - 2 ^ 32 end
  return tonumber(text:match("^%$(.*)"))
end

local function x86_address(operand)
  local sign, offset, inner = operand:match("^(%-?)(%w*)%((.-)%)")
  if not inner then return { offset = 0 } end
  local registers = split(inner)
  return { base = whole(registers[1]:sub(2)), index = registers[2] and whole(registers[2]:sub(2)),
    scale = tonumber(registers[3] or 1), offset = (tonumber(offset) or 0) * (sign == "-" and -1 or 1) }
end

local NO_ACCESS = { lea = true, nop = true, nopw = true, nopl = true, cs = true, data16 = true }

function x86.decode(i)
  local result, count, last = { memory = {}, writes = {} }, #i.operands, i.operands[#i.operands]
  local is_vector = i.op:find("^v") ~= nil
  result.scalar = (i.op:find("s[sd]$") or i.op:find("cvt.*si")) and not i.op:find("broadcast") and true
  for at, operand in ipairs(i.operands) do
    if operand:find("%(") or (is_vector and operand:find("^0x")) then
      local access = x86_address(operand)
      access.writes = at == count and not i.op:find("^cmp") and not i.op:find("^test")
      access.kind = not is_vector and "other" or not access.writes and "load" or i.op:find("^vmovnt") and "streamed" or "store"
      if not NO_ACCESS[i.op] and not i.op:find("^prefetch") then table.insert(result.memory, access) end
    end
  end
  if not is_vector and last and last:find("^%%%w+$") and not i.op:find("^cmp") and not i.op:find("^test") then
    local number = (i.op == "add" or i.op == "sub") and immediate(i.operands[1])
    result.writes[1] = { whole(last:sub(2)), number and (i.op == "add" and number or -number) or nil }
  end
  return result
end

local aarch64 = { stack = "sp", frame = "x29" }

function aarch64.flow(op)
  if op == "b" then return "jump" end
  if op:find("^b%.") or op:find("^cbn?z$") or op:find("^tbn?z$") then return "branch" end
  if op == "ret" or op == "br" or op == "udf" then return "end" end
  return (op == "bl" or op == "blr") and "call" or nil
end

function aarch64.sets_frame(i)
  return i.operands[1] == "x29" and (i.op == "mov" or i.op == "add") and i.operands[2] == "sp"
end

local function number_in(text) return tonumber((text or ""):match("#(%-?%w+)")) end

function aarch64.decode(i)
  local result, first = { memory = {}, writes = {} }, i.operands[1] or ""
  local is_store = i.op:find("^st") ~= nil
  result.scalar = first:find("^[sdh]%d") and (i.op:find("^f") or i.op:find("cvtf$")) and true
  local function writes(name, number) table.insert(result.writes, { (name:gsub("^w", "x")), number }) end
  for at, operand in ipairs(i.operands) do
    local inner, before = operand:match("^%[(.-)%](!?)$")
    if inner and i.op ~= "prfm" then
      local parts = split(inner)
      local step = before == "!" and number_in(parts[2]) or i.operands[at + 1] and number_in(i.operands[at + 1])
      local kind = not first:find("^[{vqdsh]") and "other" or is_store and "store" or "load"
      local shift = number_in(parts[3]) or 0
      for part = 0, i.op:find("p$") and 1 or 0 do
        table.insert(result.memory, { kind = kind, writes = is_store, base = parts[1], index = parts[2] and parts[2]:match("^[xw]%d+"),
          scale = 2 ^ shift, offset = (number_in(parts[2]) or 0) + 16 * part })
      end
      if step then writes(parts[1], step) end
    end
  end
  if first:find("^[xw]%d") and not is_store and i.op ~= "cmp" and i.op ~= "tst" and not aarch64.flow(i.op) then
    local number = (i.op == "add" or i.op == "sub") and i.operands[2] == first and number_in(i.operands[3])
    writes(first, number and (i.op == "add" and number or -number) or nil)
  end
  return result
end

local SETS = { x86_64 = x86, aarch64 = aarch64 }

-- code.functions(text, arch): the functions in what `objdump -dl --inlines --no-show-raw-insn` prints of a linked program: array of
-- `{ name=, set=, entry=, [1]={ op=, operands=, address=, target=, callee=, file=, line= } ... }`. A line of the source is that of the
-- outermost function. A part that the compiler moved away (`name.cold`) belongs to its function.
function code.functions(text, arch)
  local list, by_name, current, file, line = {}, {}, nil, nil, nil
  for row in text:gmatch("[^\n]+") do
    local start, name = row:match("^(%x+) <(.-)>:$")
    local address, rest = row:match("^%s*(%x+):\t(.*)$")
    if name then
      local whole_name = name:gsub("%.cold$", "")
      current = by_name[whole_name] or { name = whole_name, set = SETS[arch] }
      if not by_name[whole_name] then list[#list + 1] = current end
      by_name[whole_name] = current
      if name == whole_name then current.entry = tonumber(start, 16) end
    elseif address then
      rest = rest:gsub("%s*//.*$", ""):gsub("%s*#%s.*$", "")
      local op, operands = rest:gsub("%s*<.*$", ""):match("^(%S+)%s*(.*)$")
      local target, callee = rest:match("(%x+) <([^>+]*)")
      table.insert(current, { op = op, operands = operands == "" and {} or split(operands), address = tonumber(address, 16),
        target = target and tonumber(target, 16), callee = callee, file = file, line = line })
    else
      local path, number = row:match("^inlined by (.*):(%d+)")
      if not path then path, number = row:match("^(.*):(%d+)") end
      if path then file, line = path:match("[^/]*$"), tonumber(number) end
    end
  end
  return list
end

-- The basic blocks that can be reached without a call of a function whose name matches `cold`. Each is an array of instructions
-- with `to`, the blocks that follow, and its place, `number`.
local function blocks_of(f, cold)
  local set, index, starts = f.set, {}, { true }
  for at, i in ipairs(f) do index[i.address] = at end
  for at, i in ipairs(f) do
    local flow = set.flow(i.op)
    if flow and flow ~= "call" then
      starts[at + 1] = true
      if index[i.target] then starts[index[i.target]] = true end
    end
  end
  local blocks, of = {}, {}
  for at, i in ipairs(f) do
    if starts[at] then blocks[#blocks + 1] = { to = {}, number = #blocks + 1, follows = at } end
    local block = blocks[#blocks]
    table.insert(block, i)
    block.follows = at + 1
    block.cold = block.cold or (set.flow(i.op) == "call" and (i.callee or ""):find(cold))
    of[at] = block
  end
  for _, block in ipairs(blocks) do
    local last = block[#block]
    local flow = set.flow(last.op)
    if (flow == "jump" or flow == "branch") and index[last.target] then table.insert(block.to, of[index[last.target]]) end
    if flow ~= "jump" and flow ~= "end" and of[block.follows] then table.insert(block.to, of[block.follows]) end
  end
  local reached, list, todo = {}, {}, { of[index[f.entry]] }
  while #todo > 0 do
    local block = table.remove(todo)
    if not reached[block] and not block.cold then
      reached[block] = true
      for _, after in ipairs(block.to) do todo[#todo + 1] = after end
    end
  end
  for _, block in ipairs(blocks) do
    if reached[block] then list[#list + 1] = block end
  end
  return list
end

-- The sets of blocks that can be left and entered again without leaving `nodes`: strongly connected components (Tarjan), each in
-- the order of the code.
local function cycles(nodes)
  local inside, found, stack, number, low, on_stack, count = {}, {}, {}, {}, {}, {}, 0
  for _, block in ipairs(nodes) do inside[block] = true end
  local function visit(block)
    count = count + 1
    number[block], low[block], on_stack[block] = count, count, true
    stack[#stack + 1] = block
    local again = false
    for _, after in ipairs(block.to) do
      if inside[after] then
        again = again or after == block
        if not number[after] then visit(after) end
        if on_stack[after] then low[block] = math.min(low[block], low[after]) end
      end
    end
    if low[block] == number[block] then
      local component = {}
      repeat
        local top = table.remove(stack)
        on_stack[top] = nil
        component[#component + 1] = top
      until top == block
      table.sort(component, function(a, b) return a.number < b.number end)
      if again or #component > 1 then found[#found + 1] = component end
    end
  end
  for _, block in ipairs(nodes) do
    if not number[block] then visit(block) end
  end
  return found
end

-- The blocks of a cycle where it is entered.
local function entries(cycle, blocks)
  local inside, found = {}, {}
  for _, block in ipairs(cycle) do inside[block] = true end
  for _, block in ipairs(blocks) do
    for _, after in ipairs(block.to) do
      if inside[after] and not inside[block] then found[after] = true end
    end
  end
  return found
end

-- code.innermost_loops(f, cold): the loops of a function that hold no other loop, each an array of instructions from the loop's
-- entry on. Blocks that call a function whose name matches `cold` are no part of a loop, and there must be a way round them.
function code.innermost_loops(f, cold)
  local blocks, loops = blocks_of(f, cold), {}
  local function search(nodes)
    local found = cycles(nodes)
    for _, cycle in ipairs(found) do
      local entered, rest, first = entries(cycle, blocks), {}, nil
      for at, block in ipairs(cycle) do
        if entered[block] then first = first or at else rest[#rest + 1] = block end
      end
      if not search(rest) then
        local loop = {}
        for at = 0, #cycle - 1 do
          for _, i in ipairs(cycle[(first - 1 + at) % #cycle + 1]) do loop[#loop + 1] = i end
        end
        loops[#loops + 1] = loop
      end
    end
    return #found > 0
  end
  search(blocks)
  return loops
end

-- code.count(loop, f): what one turn of an innermost loop of `f` does, a table of numbers:
--   loads: different vectors that are read from where the loop walks. again: loads of a vector that was read before, in the same
--   turn or in the one before. again_both: those of them where one of the two is an `and` (a mask) and the other one is not.
--   stores, streamed: vectors that are written; past the caches. spilled: accesses to places on the stack that the loop writes.
--   kept: reads of other places on the stack. fixed: vectors that are read from elsewhere, in every turn from the same place.
--   other: accesses that are no vector's. scalar: floating-point operations on single numbers. calls.
function code.count(loop, f)
  local n = { instructions = #loop, loads = 0, again = 0, again_both = 0, stores = 0, streamed = 0, spilled = 0, kept = 0, fixed = 0,
    other = 0, scalar = 0, calls = 0 }
  local set, written, turn, moved, generation, seen = f.set, {}, {}, {}, {}, {}
  local stack, spilled = { [set.stack] = true }, {}
  for _, i in ipairs(f) do
    if set.sets_frame(i) then stack[set.frame] = true end
  end
  local decoded = {}
  for at, i in ipairs(loop) do
    decoded[at] = set.decode(i)
    for _, write in ipairs(decoded[at].writes) do
      written[write[1]] = true
      turn[write[1]] = (turn[write[1]] or 0) + (write[2] or 0)
    end
  end
  local function is_on_stack(access) return stack[access.base] or stack[access.index] end
  local function distance(moves, access) return (moves[access.base] or 0) + (moves[access.index] or 0) * (access.scale or 1) end
  -- Where an access goes, so many turns later.
  local function key(access, turns)
    local base, index = access.base or "", access.index or ""
    local offset = access.offset + distance(moved, access) + turns * distance(turn, access)
    return ("%s.%d %s.%d %d %d"):format(base, generation[base] or 0, index, generation[index] or 0, access.scale or 1, offset)
  end
  local function load(access, i)
    if not written[access.base] and not written[access.index] then
      n.fixed = n.fixed + 1
      return
    end
    local is_mask, place = i.op:find("and") ~= nil, nil
    for turns = -1, 1 do
      if seen[key(access, turns)] ~= nil then place = key(access, turns) end
    end
    if not place then
      place = key(access, 0)
      n.loads = n.loads + 1
    else
      n.again = n.again + 1
      if seen[place] ~= is_mask then n.again_both = n.again_both + 1 end
    end
    seen[place] = is_mask
  end
  for _, action in ipairs(decoded) do
    for _, access in ipairs(action.memory) do
      if is_on_stack(access) and access.writes then spilled[key(access, 0)] = true end
    end
  end
  local COUNTED = { store = "stores", streamed = "streamed", other = "other" }
  for at, i in ipairs(loop) do
    for _, access in ipairs(decoded[at].memory) do
      if is_on_stack(access) then
        local what = spilled[key(access, 0)] and "spilled" or "kept"
        n[what] = n[what] + 1
      elseif access.kind == "load" then
        load(access, i)
      else
        n[COUNTED[access.kind]] = n[COUNTED[access.kind]] + 1
      end
    end
    for _, write in ipairs(decoded[at].writes) do
      local name, number = write[1], write[2]
      if number then moved[name] = (moved[name] or 0) + number else generation[name] = (generation[name] or 0) + 1 end
    end
    if decoded[at].scalar then n.scalar = n.scalar + 1 end
    if set.flow(i.op) == "call" then n.calls = n.calls + 1 end
  end
  return n
end

return code
