--- The calls that schedules are compared in: how many rows a regime has.

local cells = {}

--- Where the data of a call are: in the first cache, in the second one, or in memory.
cells.regimes = { "hot", "l2", "dram" }

-- Most rows of a hot call; bytes that certainly are in memory.
local MOST_HOT_ROWS, MEMORY = 1024, 64 * 1024 * 1024

-- Bytes of the rows of a regime: half of a cache, since programs have other data, too; twice the last cache.
local function footprint(regime, caches)
  if regime == "hot" then return caches[1] / 2 end
  return regime == "l2" and caches[2] / 2 or math.max(MEMORY, 2 * caches[3])
end

--- Positions in the calls of kernels that have some, where nothing is said.
cells.POSITIONS = 64

--- The positions of the calls of a kernel: 1 if it has none.
function cells.positions(problem)
  return problem.axes.has_positions and cells.POSITIONS or 1
end

local function moved(bytes) return bytes.read + bytes.write end

--- Bytes that a row moves.
function cells.bytes_of_row(problem)
  return moved(problem.bytes.row) + cells.positions(problem) * moved(problem.bytes.position)
end

--- Bytes that a call of one batch and one chunk moves beside those of its rows.
function cells.bytes_of_call(problem)
  local bytes = problem.bytes
  return moved(bytes.batch) + moved(bytes.chunk) + moved(bytes.call)
end

--- The call of a regime.
-- @param problem problem (gen/problem/problem.lua)
-- @param caches bytes of the caches by level
-- @return `{ regime =, rows = }`
function cells.of_regime(problem, regime, caches)
  local rows = math.max(1, math.floor(footprint(regime, caches) / cells.bytes_of_row(problem)))
  return { regime = regime, rows = regime == "hot" and math.min(rows, MOST_HOT_ROWS) or rows }
end

--- The call of so many rows, with the regime that its bytes are in.
function cells.of_rows(problem, rows, caches)
  local bytes = rows * cells.bytes_of_row(problem)
  return { regime = bytes <= caches[1] and "hot" or bytes <= caches[3] and "l2" or "dram", rows = rows }
end

return cells
