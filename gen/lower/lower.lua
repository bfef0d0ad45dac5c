--- Lowering: plan x target x schedule -> statement tree. The only place that sees all three.

local channels = require "gen.lower.channels"
local contract = require "gen.formula.contract"
local dtypes = require "gen.formula.dtype"
local e = require "gen.formula.expr"
local lanes = require "gen.lower.lanes"
local literal = require "gen.c.literal"
local plans = require "gen.plan.plan"
local schedules = require "gen.schedule.schedule"
local statements = require "gen.c.statements"
local targets = require "gen.target.targets"
local usage = require "gen.errors.usage"
local vectors = require "gen.lower.vectors"

local lower = {}

--- The plan's sweeps as this schedule runs them, and where later sweeps read the normed value again.
local function scheduled(plan, schedule)
  local reload
  if plan.saved then
    reload = { node = plan.normed, name = plan.saved, dtype = plan.problem.dtypes.residual, by = plan.saved_by }
  elseif plan.stage and schedule.reuse == "reload" then
    reload = { node = plan.normed, name = plan.stage.name, dtype = plan.stage.dtype, by = plan.stage.by }
  end
  local sweeps, notes = {}, plans.notes(plan)
  for index, sweep in ipairs(plan.sweeps) do
    local copy = { kind = sweep.kind, count = sweep.count, sums = sweep.sums, rows = sweep.rows, operations = sweep.operations,
      stores = {}, note = notes[index] }
    for i, store in ipairs(sweep.stores) do copy.stores[i] = store end
    if reload and not plan.saved and index == reload.by then
      table.insert(copy.stores, { name = reload.name, dtype = reload.dtype, node = plan.normed })
    end
    sweeps[index] = copy
  end
  return sweeps, reload
end

--- A product or a quotient that meets a sum would be contracted by compilers (gcc does so with intrinsics, too). The product that
-- a sum is of is added by fma. What chunks and merges give meets sums in other formulas.
local function refuse_contraction(problem)
  local seen = {}
  local function refuse(operand, node)
    assert(not contract.is_fusible(operand), "a product or a quotient meets a sum: " .. e.describe(node))
  end
  local function check(node)
    if node.op == "sum" and node[1].op ~= "mul" then refuse(node[1], node) end
    if node.op ~= "add" and node.op ~= "sub" then return end
    for _, operand in ipairs(node) do refuse(operand, node) end
  end
  for _, output in ipairs(problem.outputs) do e.walk(output.node, check, seen) end
  for _, statistics in ipairs { problem.chunk or {}, problem.merge or {} } do
    for _, statistic in ipairs(statistics) do
      e.walk(statistic.node, check, seen)
      refuse(statistic.node, statistic.node)
    end
  end
end

--- The dtypes that a kernel loads, stores and rounds to, in a fixed order.
local function dtypes_of(plan)
  local d, list, seen = plan.problem.dtypes, {}, {}
  for _, dtype in ipairs { d.x, d.residual, d.gamma, d.y } do
    if not seen[dtype] then
      seen[dtype] = true
      list[#list + 1] = dtype
    end
  end
  return list
end

local function rounds_to_memory(plan)
  local compute = plan.problem.contract.compute
  local found = false
  local seen = {}
  for _, output in ipairs(plan.problem.outputs) do
    found = found or output.dtype ~= compute
    e.walk(output.node, function(node) found = found or node.op == "round" end, seen)
  end
  return found
end

--- C texts of the scalar arguments. They are tamed where results are rounded to 16 bits: a NaN is replaced by one that has a
-- zero low half (NaN payloads are outside the contract).
local function scalar_texts(plan, prologue)
  local texts, is_rounded = {}, rounds_to_memory(plan)
  for _, argument in ipairs(plan.problem.args) do
    if argument.shape == "scalar" and (argument.dtype == "f32" or argument.dtype == "f64") then
      local name = argument.name
      texts[name] = name
      if argument.dtype == "f32" and is_rounded then
        texts[name] = prologue:def("float", "tame_" .. name, ('%s == %s ? %s : __builtin_nanf("")'):format(name, name, name))
      end
    end
  end
  return texts
end

--- C texts of the number of the row that a part of a row belongs to, and of the part's number in it.
-- @param index C text of the number of a part, or of a row that has no parts
local function part_texts(plan, index)
  local parts = literal.integer(plan.problem.parts)
  if plan.problem.parts == 1 then return index end
  return ("(%s / %s)"):format(index, parts), ("%s %% %s"):format(index, parts)
end

--- C text of the address where an array has what belongs to a row, or to a part of one; `index` is the text of its number.
local function row_address(plan, name, index)
  local argument, p, n = plan.argument[name], plan.problem, plan.n
  local row, part = part_texts(plan, index)
  if argument.is_matrix and p.strided then
    local text = ("%s + (ptrdiff_t)%s * %s_stride"):format(name, row, name)
    if p.has_heads then return ("%s + (ptrdiff_t)(%s) * %s_head_stride"):format(text, part, name) end
    return part and ("%s + %s * %d"):format(text, part, n) or text
  end
  if argument.shape[1] == "rows" then return ("%s + %s * %d"):format(name, index, n) end
  local text = argument.shape[1] == "batch" and ("%s + %s / rows_per_batch * %d"):format(name, row, p.h) or name
  return part and ("%s + %s * %d"):format(text, part, n) or text
end

--- Whether rows of a block have an array's elements at distances that only the call knows, or share them.
local function needs_own_pointers(plan, name)
  local argument = plan.argument[name]
  return argument.is_matrix and plan.problem.strided or argument.shape[1] ~= "rows"
end

--- The C types of pointers to the rows of the arguments, by name.
local function pointer_types(plan)
  local types = {}
  for _, argument in ipairs(plan.problem.args) do
    types[argument.name] = (argument.io == "in" and "const " or "") .. argument.ctype .. " *"
  end
  return types
end

--- How the rows of a block are reached. A pointer is defined in front of the block's statements when it is first asked for:
-- one for each matrix, or one for each row where those do not lie one behind the other.
-- @param types C types of pointers by argument (pointer_types)
-- @param first name of the variable that holds the number of the block's first row
-- @param hint what the names of pointers end in
-- @return `{ pointer=, in_loop= }`: function(name, row) that returns the name of a pointer and how many rows of h elements the
--   row lies behind it, and function(name, counter) that returns the address of the row that a loop counter names
local function row_pointers(plan, types, builder, first, hint)
  local place, names = builder:splice(), {}
  local function pointer(name, row)
    local of_row = needs_own_pointers(plan, name) and row or 0
    local key = name .. of_row
    if not names[key] then
      local index = of_row > 0 and ("(%s + %d)"):format(first, of_row) or first
      names[key] = place:def(types[name], name .. hint, row_address(plan, name, index))
    end
    return names[key], row - of_row
  end
  local function in_loop(name, counter)
    if needs_own_pointers(plan, name) then return row_address(plan, name, ("(%s + %s)"):format(first, counter)) end
    return ("%s + %s * %d"):format(pointer(name, 0), counter, plan.n)
  end
  return { pointer = pointer, in_loop = in_loop }
end

--- A condition under which stores may go past the caches, as C text: what they write is large, its rows consist of whole cache
-- lines, and it is not computed in place.
local function may_stream(plan, schedule, stores)
  local parts, within_line = {}, schedules.LINE - 1
  for _, store in ipairs(stores) do
    local name, size = store.name, dtypes[store.dtype].bytes
    if #parts == 0 then parts[1] = ("rows >= %d"):format(math.ceil(schedule.stream * 1024 / (plan.n * size))) end
    parts[#parts + 1] = ("((uintptr_t)%s & %d) == 0"):format(name, within_line)
    local function add_stride(suffix) parts[#parts + 1] = ("((size_t)%s%s * %d & %d) == 0"):format(name, suffix, size, within_line) end
    if plan.problem.strided then add_stride "_stride" end
    if plan.problem.strided and plan.problem.has_heads then add_stride "_head_stride" end
    for _, other in ipairs(plans.input_matrices(plan)) do
      if dtypes[other.dtype].bytes == size then
        parts[#parts + 1] = ("(const void *)%s != (const void *)%s"):format(name, other.name)
      end
    end
  end
  return table.concat(parts, " && ")
end

--- The loops over rows of a target with vectors. Where stores can go past the caches, rows that do are taken one after the
-- other, which fills cache lines faster.
local function vector_rows(kernel, root)
  local schedule, place = kernel.schedule, root
  kernel.streamed = {}
  if schedule.stream > 0 then
    local stores = plans.final_stores(kernel.plan)
    for _, store in ipairs(stores) do kernel.streamed[store] = true end
    kernel.prologue:note("Large outputs go past the caches.")
    kernel.streams = kernel.prologue:def("int", "streams", may_stream(kernel.plan, schedule, stores))
    if schedule.rows > 1 then place = root:branch("!" .. kernel.streams) end
  end
  if schedule.rows > 1 then vectors.rows(kernel, place, schedule.rows, schedule) end
  vectors.rows(kernel, root, 1, schedule.rows == 1 and schedule or {})
  if schedule.stream > 0 then root:branch(kernel.streams):call(kernel.target.fence) end
end

--- Writes a kernel of rows.
local function write_rows(kernel, root, has_vectors)
  function kernel.rows_at(builder, first, hint) return row_pointers(kernel.plan, kernel.pointer_types, builder, first, hint) end
  kernel.sweeps, kernel.reload = scheduled(kernel.plan, kernel.schedule)
  root:var("size_t", "row", "0")
  local write = has_vectors and vector_rows or lanes.rows
  write(kernel, root)
end

--- Helpers that the statements call, and those that these call, in the order of their definition.
local function needed_helpers(target, texts)
  local named, needed, list, all = {}, {}, {}, targets.helpers(target)
  for _, helper in ipairs(all) do named[helper.name] = helper end
  local function need(name)
    local helper = named[name] or usage.fail("target %s has no helper ng_%s", target.name, name)
    if needed[name] then return end
    needed[name] = true
    for _, used in ipairs(helper.uses) do need(used) end
  end
  for _, text in ipairs(texts) do
    if text:find("@", 1, true) then
      for name in text:gmatch("@([%w_]+)") do need(name) end
    end
  end
  for _, helper in ipairs(all) do
    if needed[helper.name] then list[#list + 1] = helper end
  end
  return list
end

--- Lowers a plan.
-- @return `{ problem=, plan=, schedule=, target=<name>, body=<statements>, helpers={{name,text}..}, schedule_text= }` (empty for a
--   target without vectors, which has no schedule) and what emit needs of the target: `arch rank guard attribute includes features
--   os_check`. C texts bear `@` where the user's prefix belongs
function lower.new(plan, target, schedule)
  refuse_contraction(plan.problem)
  local has_vectors = targets.has_vectors(target)
  if has_vectors then targets.require_words(target, plan.problem.contract, schedule.layout or "plain", dtypes_of(plan)) end
  local root = statements.builder()
  for _, argument in ipairs(plan.problem.args) do root:reserve { argument.name } end
  if plan.problem.parts > 1 then
    root:note("Each part of a row is normalised by itself.")
    root:set("rows", ("rows * %s"):format(literal.integer(plan.problem.parts)))
  end
  local prologue = root:splice()
  local roots = {}
  for i, output in ipairs(plan.problem.outputs) do roots[i] = output.node end
  local types = pointer_types(plan)
  local kernel = { plan = plan, target = target, schedule = schedule, prologue = prologue, uses = e.count_uses(roots),
    literal = function(value, of_type) return literal.float(value, of_type == "f64" and "" or "f") end,
    scalars = scalar_texts(plan, prologue), pointer_types = types }
  if plan.form == "row" then write_rows(kernel, root, has_vectors) else channels.write(kernel, root) end
  if target.leave then root:call(target.leave) end
  return {
    problem = plan.problem, plan = plan, schedule = schedule, target = target.name, arch = target.arch,
    rank = target.rank, guard = target.guard, attribute = target.attribute, includes = target.includes,
    schedule_text = has_vectors and schedules.format(schedule) or "", features = target.features, os_check = target.os_check,
    helpers = needed_helpers(target, statements.texts(root.body)), body = root.body,
  }
end

return lower
