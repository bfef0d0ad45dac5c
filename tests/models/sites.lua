-- Reads configs, one JSON object in each line, and prints for each what `normgen model` finds in it, or the error: JSON, one line.

package.path = "./?.lua;" .. package.path

local config = require "models.config"
local json = require "host.json"
local models = require "models.models"
local spec = require "gen.spec.spec"

-- The parts of a site's spec that can be compared with a module.
local function facts_of(site)
  local s = site.spec and spec.parse(site.spec) or {}
  return { site = site.site, norm = s.norm, width = s.h or s.c, eps = site.eps, affine = s.affine, offset = s.offset, cast = s.cast,
    fusion = s.fusion or nil, groups = s.groups, per_layer = site.per_layer, spec = site.spec, note = site.note }
end

for line in io.lines() do
  local fields = json.decode(line, config.null)
  local ok, found = pcall(models.sites, fields, { source = "config", dtype = "bf16" })
  local answer = { sites = json.array {}, asked = json.array {} }
  if ok then
    for i, site in ipairs(found.sites) do answer.sites[i] = facts_of(site) end
    for name in pairs(found.asked) do answer.asked[#answer.asked + 1] = name end
    table.sort(answer.asked)
  else
    answer.error = type(found) == "table" and found.usage or tostring(found)
  end
  print(json.line(answer))
end
