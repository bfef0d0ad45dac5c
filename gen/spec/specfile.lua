--- Spec files: what one returns, an array of specs or { model = name, kernels = array of specs }, as spec tables.

local spec = require "gen.spec.spec"
local usage = require "gen.errors.usage"

local specfile = {}

local MAX_KERNELS = 65536

local function kernels_of(result, path)
  local list = type(result) == "table" and (result.kernels or result)
  if type(list) ~= "table" then
    usage.fail("%s: a spec file returns an array of specs, or { model = name, kernels = array }, not a %s", path,
      type(list or result))
  end
  if #list == 0 then usage.fail("%s: no kernels", path) end
  if #list > MAX_KERNELS then usage.fail("%s: %d kernels are too many (at most %d)", path, #list, MAX_KERNELS) end
  return list
end

local function parse_entry(source, path, index)
  local ok, result = pcall(spec.parse, source)
  if ok then return result end
  if type(result) ~= "table" then error(result, 0) end
  usage.fail("%s: kernel %d: %s", path, index, result.usage)
end

-- The name of a model is a part of file names and of C names.
local function model_of(result, path)
  local name = result.model
  if name == nil then return nil end
  if type(name) ~= "string" or not name:find("^%a[%w_]*$") or name:find("__", 1, true) or name:find("_$") then
    usage.fail("%s: model is %s; it must be a letter, then letters, digits and single underscores", path, usage.quote(name))
  end
  return name
end

--- The specs of a spec file.
-- @param result what its chunk returned (host/specfile.lua)
-- @param path the path as the user wrote it; it stands in front of messages
-- @return array of spec tables, in the order of the file; the name of the model, or nil
-- Raises a usage error for whatever the file says wrong.
function specfile.specs(result, path)
  local specs = {}
  for index, source in ipairs(kernels_of(result, path)) do specs[index] = parse_entry(source, path, index) end
  return specs, model_of(result, path)
end

return specfile
