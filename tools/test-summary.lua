-- Adds up what the tests of a meson run printed:   luajit tools/test-summary.lua build/meson-logs/testlog.json
-- Prints what was skipped and why, kernels built, outputs compared, mismatches, mutants caught, and as last line the number of
-- tests that passed, failed and were skipped.

local json = require "dkjson"

local RESULTS = { OK = "passed", EXPECTEDFAIL = "passed", SKIP = "skipped" }

-- Numbers to add up wherever a test prints them.
local COUNTS = {
  { label = "kernels built", pattern = "verified: kernels=(%d+)" },
  { label = "outputs compared", pattern = "outputs=(%d+)" },
  { label = "mismatches", pattern = "mismatches=(%d+)" },
}

local totals, sums, mutants = { passed = 0, failed = 0, skipped = 0 }, {}, "none ran"
for line in io.lines(arg[1]) do
  local test = json.decode(line)
  local outcome = RESULTS[test.result] or "failed"
  totals[outcome] = totals[outcome] + 1
  local output = test.stdout or ""
  for _, count in ipairs(COUNTS) do
    for number in output:gmatch(count.pattern) do sums[count.label] = (sums[count.label] or 0) + tonumber(number) end
  end
  mutants = output:match("mutants caught: (%d+ of %d+)") or mutants
  for reason in output:gmatch("[^\n]*[Ss][Kk][Ii][Pp][Pp][Ee][Dd]: [^\n]*") do print(test.name .. ": " .. reason) end
  for reason in output:gmatch("not installed: [^\n]*") do print(test.name .. ": " .. reason) end
  if outcome == "failed" then print("FAILED: " .. test.name) end
end

for _, count in ipairs(COUNTS) do print(("%s: %.0f"):format(count.label, sums[count.label] or 0)) end
print("mutants caught: " .. mutants)
print(("%d passed, %d failed, %d skipped"):format(totals.passed, totals.failed, totals.skipped))
