--- Groups of neighbouring channels in nchw: their values lie next to each other, and are summed like rows.

local common = require "gen.lower.channels.common"

--- How a sum over `n` values (C text) is cut into blocks (gen/formula/contract.lua, blocks): the name of the length of a block.
local function block_length(builder, n)
  local blocks = builder:var("size_t", "blocks", "1")
  local length = builder:var("size_t", "block", n)
  local inner = builder:block(("while (%s > (%s == 1 ? 1024 : 4096))"):format(length, blocks))
  inner:set(blocks, blocks .. " * 2")
  inner:set(length, ("64 * ((%s + 64 * %s - 1) / (64 * %s))"):format(n, blocks, blocks))
  return length
end

--- Sums of a sweep over `n` values in memory order, block by block: names of vectors.
local function memory_sums(body, builder, sweep, n, block)
  local names = {}
  for s in ipairs(sweep.sums) do names[s] = "sum" .. s end
  local function add(_, inner, _, of)
    local result = {}
    for _, name in ipairs(names) do
      result[name] = { inner:def(body.type.vector, "pair", body.words.add(of(name, "left")[1], of(name, "right")[1])) }
    end
    return result
  end
  local tree = body:tree(builder, 1, names, add, false)
  local inner, start = builder:loop("start", 0, n, block)
  local left = inner:def("size_t", "left", ("%s - %s"):format(n, start))
  local length = inner:def("size_t", "length", ("%s < %s ? %s : %s"):format(left, block, left, block))
  local back = body:step_to(inner, body.plan.read, "_block", start)
  local sums = body:lane_sums(inner, sweep, function(where, walk) walk(where, length) end)
  back()
  local leaf = {}
  for s, name in ipairs(names) do leaf[name] = { sums[s] } end
  tree:push(inner, leaf)
  local done, list = tree:finish(builder), {}
  for s, name in ipairs(names) do list[s] = done[name] end
  return list
end

return function(body, builder)
  local plan, where = body.plan, body.plan.axes
  local n = builder:def("size_t", "values", common.product(where.per_group, "positions"))
  builder:note "The head of a group, and how both are cut into blocks."
  local head = body:head_of(builder, n)
  body.counts.all, body.counts.head = n, head
  local blocks = { head = block_length(builder, head), row = block_length(builder, n) }
  local rows, row = builder:loop("row", 0, "rows", 1)
  local groups, group = common.each_group(rows, where)
  local index = group and ("(%s * %d + %s)"):format(row, where.groups, group) or row
  local back = body:step_to(groups, body:matrices(), "_group", ("%s * %s"):format(index, n))
  body:open("row", groups, { broadcast = true })
  for _, sweep in ipairs(plan.sweeps) do
    for _, node in ipairs(sweep.rows) do body:fixed(node) end
    if #sweep.sums > 0 then
      local block, count = blocks[sweep.kind], sweep.kind == "head" and head or n
      groups:note(sweep.kind == "head" and "Head of the group: its mean is the pivot." or "The group: sums about the pivot.")
      for s, names in ipairs(memory_sums(body, groups, sweep, count, block)) do body.scopes.row.memo[sweep.sums[s]] = names end
    end
  end
  groups:note "The group again: normalise each channel."
  local inner, channel = groups, nil
  if where.per_group > 1 then inner, channel = groups:loop("channel", 0, where.per_group, 1) end
  local number = group and channel and ("%s * %d + %s"):format(group, where.per_group, channel) or group or channel or "0"
  body:step_to(inner, body:matrices(), "_channel", common.product(channel or 0, "positions"))
  body:column_scope(inner, number, group or "0")
  body:map_run(inner, common.stores_of(plan), "positions")
  body:close "column"
  body:close "row"
  back()
end
