--- The results of a run as tables for a document, with the means that sum them up.

local results = require "bench.results"
local show = require "measure.show"
local spec = require "gen.spec.spec"
local statistics = require "measure.statistics"

local markdown = {}

-- Columns of the tables: title, and text of a cell.
local function ratio_text(entry) return entry and show.ratio(entry.ratio) .. " " .. show.interval(entry.ratio) or "-" end

local function label_text(entry) return entry and entry.label or "-" end

local function library_text(entry)
  return entry and show.number(entry.ratio.median) .. (entry.kind == "inexact" and ", inexact" or "") or "-"
end

-- The sizes of a cell and what they are: "512x768" and "rows x h", "2x320x4096" and "rows x c x positions".
local function sizes_text(c)
  return ("%.0fx%.0f"):format(c.rows, c.parsed.h or c.parsed.c) .. (c.positions and ("x%.0f"):format(c.positions) or "")
end

local function sizes_title(c)
  return "rows x " .. (c.parsed.h and "h" or "c") .. (c.positions and " x positions" or "")
end

local COLUMNS = {
  { "ours", function(c) return show.time(c.baseline.ns.median) end },
  { "of limit", function(c) return c.limit and show.percent(c.baseline.of_limit) or "-" end },
  { "fastest accurate rival", function(c) return label_text(c.rival) end },
  { "rival / ours", function(c) return ratio_text(c.rival) end },
  { "fastest one-pass loop", function(c) return label_text(c.inexact) end, when = "inexact" },
  { "loop / ours", function(c) return ratio_text(c.inexact) end, when = "inexact" },
  { "oneDNN / ours", function(c) return library_text(c.onednn) end, when = "onednn" },
  { "torch / ours", function(c) return library_text(c.torch) end, when = "torch" },
  { "-O3 / ours", function(c) return c.portable and show.number(c.portable.ratio.median) or "-" end, when = "portable" },
  { "best other schedule", function(c) return label_text(c.variant) end, when = "variant" },
  { "schedule / default", function(c) return ratio_text(c.variant) end, when = "variant" },
}

-- The entry of a library, accurate or not.
local function library(cell, matches)
  return results.fastest(cell, "rival", matches) or results.fastest(cell, "inexact", matches)
end

-- The cells that were timed, with their parsed spec and the entries that the columns show.
local function with_choices(all)
  local list = {}
  for _, cell in ipairs(all.cells) do
    if cell.baseline then
      list[#list + 1] = { name = cell.name, rows = cell.rows, positions = cell.positions, bytes = cell.bytes,
        baseline = cell.baseline, limit = cell.limit, parsed = spec.parse(cell.spec), rejected = cell.rejected,
        rival = results.fastest(cell, "rival"), inexact = results.fastest(cell, "inexact"),
        portable = results.fastest(cell, "rival", " %-O3"), onednn = library(cell, "^oneDNN"), torch = library(cell, "^torch"),
        variant = results.fastest(cell, "kernel", "^" .. cell.baseline.target .. " ") }
    end
  end
  return list
end

local function some(cells, key)
  for _, cell in ipairs(cells) do
    if cell[key] then return true end
  end
end

local function line(values) return "| " .. table.concat(values, " | ") .. " |\n" end

local function table_text(cells, titles, texts)
  local marks, parts = {}, {}
  for i = 1, #titles do marks[i] = "---" end
  parts[1] = line(titles) .. "|" .. table.concat(marks, "|") .. "|\n"
  for _, cell in ipairs(cells) do
    local values = {}
    for i, text in ipairs(texts) do values[i] = text(cell) end
    parts[#parts + 1] = line(values)
  end
  return table.concat(parts)
end

local function cells_table(cells)
  local titles, texts = { sizes_title(cells[1]) }, { sizes_text }
  for _, column in ipairs(COLUMNS) do
    if not column.when or some(cells, column.when) then
      titles[#titles + 1], texts[#texts + 1] = column[1], column[2]
    end
  end
  return table_text(cells, titles, texts)
end

-- The spec without its row length or channels: what a table is about.
local function title_of(cell) return (spec.format(cell.parsed):gsub(" fwd", ""):gsub(" [hc]=%d+", "")) end

-- Cells by title, in order of first appearance.
local function by_title(cells)
  local order, groups = {}, {}
  for _, cell in ipairs(cells) do
    local title = title_of(cell)
    if not groups[title] then
      order[#order + 1] = title
      groups[title] = {}
    end
    table.insert(groups[title], cell)
  end
  return order, groups
end

local function slower(entry) return entry and entry.ratio.median end

local function least(a, b)
  if a and b then return math.min(a, b) end
  return a or b
end

local function of_limit(cell) return cell.limit and cell.baseline.of_limit end

local function in_cache(cell, context)
  local bytes = cell.bytes
  return bytes.read + bytes.write + bytes.call_read + bytes.call_write <= context.l2_bytes
end

local function rival(cell) return slower(cell.rival) end
local function one_pass(cell) return slower(cell.inexact) end
local function any_rival(cell) return least(rival(cell), one_pass(cell)) end

-- Which cells a mean is over: of a norm in f32, and of a direction, if it is not fwd; of a dtype; of kernels of rows in f32.
local function f32(norm, dir)
  return function(c) return c.parsed.x == "f32" and c.parsed.norm == norm and c.parsed.dir == (dir or "fwd") end
end

local function of_dtype(dtype)
  return function(c) return c.parsed.x == dtype end
end

local function is_of_f32_rows(cell) return cell.parsed.x == "f32" and cell.parsed.h and not cell.positions end

-- What the means are over: which cells, and which number of each, as a ratio or (share) as a share of the limit.
local MEANS = {
  { "f32 rmsnorm: fastest accurate rival", f32 "rmsnorm", rival },
  { "f32 layernorm: fastest accurate rival", f32 "layernorm", rival },
  { "f32 layernorm: fastest one-pass loop", f32 "layernorm", one_pass },
  { "f32 groupnorm: fastest accurate rival", f32 "groupnorm", rival },
  { "f32 groupnorm: fastest one-pass loop", f32 "groupnorm", one_pass },
  { "f32 instancenorm: fastest accurate rival", f32 "instancenorm", rival },
  { "f32 batchnorm infer: fastest accurate rival", f32("batchnorm", "infer"), rival },
  { "f32 batchnorm: fastest accurate rival", f32 "batchnorm", rival },
  { "f32 batchnorm: fastest one-pass loop", f32 "batchnorm", one_pass },
  { "bf16: fastest rival of all", of_dtype "bf16", any_rival },
  { "f16: fastest rival of all", of_dtype "f16", any_rival },
  { "f32, 32 rows and more: of the limit", function(c) return is_of_f32_rows(c) and c.rows >= 32 end, of_limit, share = true },
  { "f32, 1 row, h from 768 on: of the limit",
    function(c) return is_of_f32_rows(c) and c.rows == 1 and c.parsed.h >= 768 end, of_limit, share = true },
  { "bf16, in the cache of level 2: of the limit",
    function(c, context) return c.parsed.x == "bf16" and in_cache(c, context) end, of_limit, share = true },
  { "f32, channels and positions: of the limit", function(c) return c.parsed.x == "f32" and c.positions end, of_limit,
    share = true },
}

local function mean_row(mean, cells, context)
  local values, lowest, where = {}, math.huge, nil
  for _, cell in ipairs(cells) do
    local value = mean[2](cell, context) and mean[3](cell)
    if value then
      values[#values + 1] = value
      if value < lowest then lowest, where = value, cell end
    end
  end
  if #values == 0 then return nil end
  local show_value = mean.share and show.percent or function(value) return ("%.2f"):format(value) end
  return line { mean[1], ("%.0f"):format(#values), show_value(statistics.geometric_mean(values)), show_value(lowest),
    ("`%s`, %s"):format(where.name, show.call(where)) }
end

local function means_table(cells, context)
  local parts = { line { "", "cells", "geometric mean", "lowest", "where" } .. "|---|---|---|---|---|\n" }
  for _, mean in ipairs(MEANS) do parts[#parts + 1] = mean_row(mean, cells, context) end
  return table.concat(parts)
end

-- Names the cells where an accurate rival is ahead.
local function behind_text(cells)
  local parts = {}
  for _, cell in ipairs(cells) do
    local ratio = cell.rival and cell.rival.ratio
    if ratio and ratio.median < 1 then
      parts[#parts + 1] = ("- `%s`, %s: %s %s %s%s\n"):format(cell.name, show.call(cell), cell.rival.label, show.ratio(ratio),
        show.interval(ratio), ratio.high < 1 and "" or ", a tie")
    end
  end
  if #parts == 0 then return "In no cell an accurate rival is ahead.\n" end
  return ("Cells where an accurate rival is ahead, %d of %d:\n\n"):format(#parts, #cells) .. table.concat(parts)
end

-- Who was refused, why, and in how many cells.
local function rejected_text(cells)
  local order, counts = {}, {}
  for _, cell in ipairs(cells) do
    for _, entry in ipairs(cell.rejected) do
      local text = entry.label .. ", " .. entry.reason
      if not counts[text] then order[#order + 1] = text end
      counts[text] = (counts[text] or 0) + 1
    end
  end
  local parts = {}
  for i, text in ipairs(order) do parts[i] = ("- left out in %.0f cells: %s\n"):format(counts[text], text) end
  return table.concat(parts)
end

local function made_with(all, context)
  local parts = { ("- CPU: %s\n"):format(context.cpu) }
  for _, compiler in ipairs(context.compilers) do
    parts[#parts + 1] = ("- `%s`, %s: %s\n"):format(compiler.name, compiler.what, compiler.version)
  end
  parts[#parts + 1] = ("- at most %.0f rounds of each cell\n"):format(context.rounds)
  for _, text in ipairs(context.skipped) do parts[#parts + 1] = "- left out: " .. text .. "\n" end
  for _, overhead in ipairs(all.overheads) do
    parts[#parts + 1] = ("- a call with 0 rows, %s: %s\n"):format(overhead.label, show.time(overhead.ns))
  end
  return table.concat(parts)
end

--- Tables by norm, dtype and fusion, in front of them how they were made and the means.
-- @param context `{ cpu =, l2_bytes =, rounds =, compilers = {{ name =, what =, version = }..}, skipped = {text..} }`
function markdown.text(all, context)
  local cells = with_choices(all)
  local order, groups = by_title(cells)
  local parts = { made_with(all, context) .. rejected_text(cells), means_table(cells, context), behind_text(cells) }
  for _, title in ipairs(order) do parts[#parts + 1] = ("### %s\n\n%s"):format(title, cells_table(groups[title])) end
  return table.concat(parts, "\n")
end

--- Puts a text between the marks `<!-- BENCH name -->` and `<!-- END OF BENCH name -->` of a document.
-- @return the new document, or nil if it does not have the marks
function markdown.replace(document, name, text)
  local first, last = ("<!-- BENCH %s -->\n"):format(name), ("<!-- END OF BENCH %s -->"):format(name)
  local _, from = document:find(first, 1, true)
  local to = from and document:find(last, from, true)
  return to and document:sub(1, from) .. "\n" .. text .. "\n" .. document:sub(to) or nil
end

return markdown
