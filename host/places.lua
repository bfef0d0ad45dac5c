--- Where normgen keeps what belongs to a user.

local failure = require "host.failure"

local places = {}

local function place(variable, below_home)
  local base = os.getenv(variable)
  if not base or base:sub(1, 1) ~= "/" then
    base = (os.getenv "HOME" or failure("neither %s nor HOME is set", variable)) .. "/" .. below_home
  end
  return base .. "/normgen"
end

--- The file of the schedules that the user tuned.
function places.records() return place("XDG_DATA_HOME", ".local/share") .. "/tuned.jsonl" end

--- A directory for what can be made again.
function places.cache() return place("XDG_CACHE_HOME", ".cache") end

return places
