--- Maps of batches without statistics of their own.

local common = require "gen.lower.channels.common"

--- Column values that take long, in the order of their use: they are formed once for all positions.
local function slow_columns(plan)
  local list, seen = {}, {}
  local function is_slow(node)
    if node.op == "div" or node.op == "sqrt" then return true end
    for _, operand in ipairs(node) do
      if is_slow(operand) then return true end
    end
    return false
  end
  local function visit(node)
    if seen[node] then return end
    seen[node] = true
    if node.scope == "column" then
      if is_slow(node) then list[#list + 1] = node end
      return
    end
    for _, operand in ipairs(node) do visit(operand) end
  end
  for _, store in ipairs(common.stores_of(plan)) do visit(store.node) end
  return list
end

return function(body, builder)
  local plan, where = body.plan, body.plan.axes
  if where.innermost == "positions" then
    local rows, row = builder:loop("row", 0, "rows", 1)
    local inner, channel = rows:loop("channel", 0, where.channels, 1)
    body:step_to(inner, body:matrices(), "_channel", ("(%s * %d + %s) * positions"):format(row, where.channels, channel))
    body:column_scope(inner, channel, "0")
    body:map_run(inner, common.stores_of(plan), "positions")
    return
  end
  local slow, arrays = slow_columns(plan), {}
  for i, node in ipairs(slow) do arrays[i] = body:channel_array(builder, (node.label or "value") .. "_of") end
  if #slow > 0 then
    body:each_tile(builder, where.channels, function(inner, first, vectors, n)
      local back = body:step_to(inner, common.per_channel(body), "_tile", first)
      body:open("column", inner, { vectors = vectors, n = n })
      body:into_arrays(inner, slow, first, arrays)
      body:close "column"
      back()
    end)
  end
  for i, node in ipairs(slow) do body.arrays[node] = arrays[i] end
  body:map_positions(builder, common.count_of_batch(where))
end
