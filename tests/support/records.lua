-- Records of tuned schedules for tests.

local schedule = require "gen.schedule.schedule"

local records = {
  DEFAULT = "rows=4 layout=plain blocks=1 strips=1 reuse=recompute pipe=0 prefetch=0 stream=8192",
  OTHER = "rows=1 layout=plain blocks=1 strips=2 reuse=recompute pipe=1 prefetch=0 stream=8192",
}
records.SPACE = schedule.version(schedule.parse(records.OTHER))

-- records.new(fields): a record with some fields of its own.
function records.new(fields)
  local result = { name = "rmsnorm_fwd_f32_h768", target = "avx2", regime = "hot", rows = 2, microarchitecture = "zen4",
    cpu = "AuthenticAMD-25-17-1", compiler = "gcc 12.2.0", schedule = records.OTHER, default = records.DEFAULT, ns = 61.2, low = 60,
    high = 63.25, ratio = { 0.82, 0.8, 0.84 }, decided = true, quality = "clean", rounds = 100, tried = 64, contract = 1,
    space = records.SPACE, tool = "0.1.0" }
  for key, value in pairs(fields or {}) do result[key] = value end
  return result
end

return records
