--- Which CPU this is: from what the kernel says of CPUID or MIDR, never from the name of a model.

local files = require "host.files"

local cpu = {}

--- Microarchitectures: vendor, family and the first and last model; on Arm the implementer and the part.
local KNOWN = {
  { "AuthenticAMD", 23, 0x00, 0x2f, "zen" }, { "AuthenticAMD", 23, 0x30, 0xff, "zen2" },
  { "AuthenticAMD", 25, 0x00, 0x0f, "zen3" }, { "AuthenticAMD", 25, 0x10, 0x1f, "zen4" },
  { "AuthenticAMD", 25, 0x20, 0x5f, "zen3" }, { "AuthenticAMD", 25, 0x60, 0x7f, "zen4" },
  { "AuthenticAMD", 25, 0xa0, 0xaf, "zen4" }, { "AuthenticAMD", 26, 0x00, 0xff, "zen5" },
  { "GenuineIntel", 6, 0x3c, 0x3c, "haswell" }, { "GenuineIntel", 6, 0x3f, 0x3f, "haswell" },
  { "GenuineIntel", 6, 0x4f, 0x4f, "broadwell" }, { "GenuineIntel", 6, 0x55, 0x55, "skylake-sp" },
  { "GenuineIntel", 6, 0x5e, 0x5e, "skylake" }, { "GenuineIntel", 6, 0x6a, 0x6c, "icelake-sp" },
  { "GenuineIntel", 6, 0x7d, 0x7e, "icelake" }, { "GenuineIntel", 6, 0x8c, 0x8d, "tigerlake" },
  { "GenuineIntel", 6, 0x8e, 0x8e, "skylake" }, { "GenuineIntel", 6, 0x8f, 0x8f, "sapphirerapids" },
  { "GenuineIntel", 6, 0x97, 0x9a, "alderlake" }, { "GenuineIntel", 6, 0x9e, 0x9e, "skylake" },
  { "GenuineIntel", 6, 0xad, 0xae, "graniterapids" }, { "GenuineIntel", 6, 0xb7, 0xbf, "raptorlake" },
  { "GenuineIntel", 6, 0xcf, 0xcf, "emeraldrapids" },
  { "arm", 0x41, 0xd03, 0xd03, "cortex-a53" }, { "arm", 0x41, 0xd08, 0xd08, "cortex-a72" },
  { "arm", 0x41, 0xd0b, 0xd0b, "cortex-a76" }, { "arm", 0x41, 0xd0c, 0xd0c, "neoverse-n1" },
  { "arm", 0x41, 0xd40, 0xd40, "neoverse-v1" }, { "arm", 0x41, 0xd49, 0xd49, "neoverse-n2" },
  { "arm", 0x41, 0xd4f, 0xd4f, "neoverse-v2" },
}

--- The identity of a CPU from the text of /proc/cpuinfo: "AuthenticAMD-25-17-1" (vendor, family, model, stepping), on Arm
-- "arm-41-d0c-3-1" (implementer and part in hex, variant, revision), "unknown" where the text says neither.
function cpu.identity_in(text)
  text = "\n" .. text
  local function field(name) return text:match("\n" .. name .. "%s*:%s*([^\n]*)") end
  local vendor, part = field "vendor_id", field "CPU part"
  if vendor then return ("%s-%s-%s-%s"):format(vendor, field "cpu family", field "model", field "stepping") end
  if not part then return "unknown" end
  return ("arm-%x-%x-%d-%d"):format(tonumber(field "CPU implementer"), tonumber(part), tonumber(field "CPU variant"),
    tonumber(field "CPU revision"))
end

--- The identity of this machine's CPU.
function cpu.identity() return cpu.identity_in(files.read "/proc/cpuinfo" or "") end

--- The microarchitecture of an identity: a name, or "family-25-model-17" of a CPU that is not in the table.
function cpu.microarchitecture(identity)
  local vendor, family, model = identity:match("^([^-]+)%-(%x+)%-(%x+)%-")
  if not vendor then return "unknown" end
  local base = vendor == "arm" and 16 or 10
  local family_number, model_number = tonumber(family, base), tonumber(model, base)
  for _, row in ipairs(KNOWN) do
    if row[1] == vendor and row[2] == family_number and model_number >= row[3] and model_number <= row[4] then return row[5] end
  end
  return ("family-%s-model-%s"):format(family, model)
end

return cpu
