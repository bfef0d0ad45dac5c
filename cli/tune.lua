--- normgen tune: finds the best schedules for kernels on this machine, or on another one.

local command = {
  summary = "Find the fastest schedules for a CPU, and keep them for emit --tuned.",
  arguments = { "tune_specs", "tune_target", "target_path", "cc", "regime", "tune_rows", "effort", "budget", "runner", "export", "import",
    "merge", "distill", "events" },
  examples = {
    "normgen tune specs/llama3_8b.lua",
    "normgen tune 'rmsnorm f32 h=4096' --target avx2,avx512 --regime hot,dram --budget 30s",
    "normgen tune specs/llama3_8b.lua --target neon --runner 'tools/ssh-runner.sh board'",
    "normgen tune --export bundle specs/llama3_8b.lua --target neon",
    "normgen tune --import result.jsonl",
    "cat a.jsonl b.jsonl | normgen tune --merge",
  },
  notes = [[
Records are kept in $XDG_DATA_HOME/normgen/tuned.jsonl (~/.local/share/normgen), objects in $XDG_CACHE_HOME/normgen.
A schedule never changes a bit: every candidate is compared with the reference before it is timed. Ctrl-C keeps what is
known; the same command goes on from there. docs/tuning.md tells how the search works and how good it is.]],
}

--- Loads the tuner when it runs: nothing else needs it.
-- @param args parsed arguments
function command.run(args) require "tuner.command"(args) end

return command
