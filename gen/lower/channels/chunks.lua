--- Statistics of chunks, and the pairwise tree in which they meet, both for all vectors of a tile.

local Body = require "gen.lower.channels.body"

--- Levels of the tree: more chunks than address space can hold.
local LEVELS = 36

--- The statistics of a chunk, whose counts the body has.
-- @param vectors vectors of a tile
-- @param sums function(builder, sweep) that returns an array of names for each sum of a sweep
-- @return names of vectors by the name of the statistic
function Body:chunk_statistics(builder, vectors, sums)
  local plan, result = self.plan.chunk, {}
  self:open("row", builder, { vectors = vectors })
  for _, sweep in ipairs(plan.sweeps) do
    for _, node in ipairs(sweep.rows) do self:fixed(node) end
    for s, names in ipairs(sums(builder, sweep)) do self.scopes.row.memo[sweep.sums[s]] = names end
  end
  for _, output in ipairs(plan.problem.outputs) do result[output.name] = self:fixed(output.node) end
  self:close "row"
  return result
end

--- Writes what two sets of statistics give (gen/formula/contract.lua), from the names of theirs: function(name, side) that returns an
-- array, `side` "left" or "right". The counts "left", "right" and "both" are the body's.
-- @return names of vectors by the name of the statistic
function Body:merged(builder, vectors, of)
  local merge, known, result = self.plan.merge, {}, {}
  for _, node in ipairs(merge.statistics) do
    local name, side = node.name:match("^(.*)_(%l+)$")
    known[node] = of(name, side)
  end
  self:open("row", builder, { vectors = vectors, known = known })
  for _, output in ipairs(merge.outputs) do result[output.name] = self:fixed(output.node) end
  self:close "row"
  return result
end

--- A tree that takes its leaves as they come: a stack of what 1, 2, 4, ... leaves gave.
local Tree = {}
Tree.__index = Tree

--- Defines a tree's stack.
-- @param names what a leaf has
-- @param merge function(builder, vectors, of), as Body.merged
-- @param has_counts whether a leaf has a count, for the body's counts "left", "right" and "both"
function Body:tree(builder, vectors, names, merge, has_counts)
  local tree = setmetatable({ body = self, vectors = vectors, names = names, merge = merge, stacks = {} }, Tree)
  for _, name in ipairs(names) do
    tree.stacks[name] = builder:array(self.type.vector, name .. "_of", LEVELS, vectors > 1 and vectors or nil)
  end
  for _, name in ipairs(names) do
    for _, entry in ipairs(tree:entries(name, "0")) do builder:set(entry, self:zero(self.real)) end
  end
  tree.counts = has_counts and builder:array("size_t", "count_of", LEVELS)
  tree.top = builder:var("size_t", "top", "0")
  tree.leaves = builder:var("size_t", "leaves", "0")
  return tree
end

--- The tree in which chunks meet.
function Body:chunk_tree(builder, vectors)
  local names, has_counts = {}, false
  for i, output in ipairs(self.plan.merge.outputs) do names[i] = output.name end
  for _, node in ipairs(self.plan.merge.statistics) do has_counts = has_counts or node.name == "mu_left" end
  return self:tree(builder, vectors, names, self.merged, has_counts)
end

--- C texts of an entry of a stack, one for each vector.
function Tree:entries(name, index)
  local list, stack = {}, self.stacks[name]
  for v = 0, self.vectors - 1 do
    list[v + 1] = ("%s[%s]"):format(stack, index) .. (self.vectors > 1 and ("[%d]"):format(v) or "")
  end
  return list
end

--- The topmost two entries become one.
function Tree:merge_top(builder)
  local body, left, right = self.body, self.top .. " - 1", self.top
  local counts = body.counts
  if self.counts then
    body.counts = { left = ("%s[%s]"):format(self.counts, left), right = ("%s[%s]"):format(self.counts, right) }
    body.counts.both = builder:def("size_t", "both", ("%s + %s"):format(body.counts.left, body.counts.right))
  end
  local merged = self.merge(body, builder, self.vectors, function(name, side)
    return self:entries(name, side == "left" and left or right)
  end)
  for _, name in ipairs(self.names) do
    for v, entry in ipairs(self:entries(name, left)) do
      if merged[name][v] ~= entry then builder:set(entry, merged[name][v]) end
    end
  end
  if self.counts then builder:set(body.counts.left, body.counts.both) end
  body.counts = counts
end

--- Takes a leaf.
-- @param values names of vectors by name
-- @param count C text: of how many values it is
function Tree:push(builder, values, count)
  for _, name in ipairs(self.names) do
    for v, entry in ipairs(self:entries(name, self.top)) do builder:set(entry, values[name][v] or values[name][1]) end
  end
  if self.counts then builder:set(("%s[%s]"):format(self.counts, self.top), count) end
  builder:call("++" .. self.top)
  builder:call("++" .. self.leaves)
  local level = builder:name "level"
  local inner = builder:block(("for (size_t %s = %s; %s %% 2 == 0; %s /= 2)"):format(level, self.leaves, level, level))
  inner:call("--" .. self.top)
  self:merge_top(inner)
end

--- Joins what is left: names of vectors by name.
function Tree:finish(builder)
  local inner, result = builder:block(("while (%s > 1)"):format(self.top)), {}
  inner:call("--" .. self.top)
  self:merge_top(inner)
  for _, name in ipairs(self.names) do
    result[name] = {}
    for v, entry in ipairs(self:entries(name, "0")) do result[name][v] = builder:def(self.body.type.vector, name, entry) end
  end
  return result
end
