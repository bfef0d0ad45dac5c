--- normgen bench: times kernels beside rivals and the limits of memory.

local command = {
  summary = "Time kernels beside rivals and the limits of memory.",
  arguments = { "specs", "target", "target_path", "cc", "schedules", "rows", "positions", "rivals", "rival", "rounds", "report",
    "into", "table" },
  examples = {
    "normgen bench 'rmsnorm f32 h=4096' --target avx512 --rows 1,32,512",
    "normgen bench 'rmsnorm f32 h=4096' --target avx512 --schedule rows=2 --schedule rows=4,strips=2 --rivals none",
    "normgen bench specs/gpt2.lua --target avx2,avx512 --rows 1x768,32 --rivals plain,onednn --format csv",
    "normgen bench 'groupnorm f32 c=320 g=32 layout=nchw' --target native --rows 2 --positions 256,4096 --rivals all",
  },
  notes = [[
Groups of rivals: plain (loops in C by gcc and the newest clang), double (the same with sums in double), onednn, libxsmm,
torch, onnxruntime. Whatever is not installed is left out and named.
Everything runs on one CPU, the last one that the process may use (taskset narrows the choice), on the same buffers, in
rotating order. Progress and what was left out go to standard error.]],
}

--- Loads the bench when it runs: nothing else needs it.
-- @param args parsed arguments
function command.run(args) require "bench.command"(args) end

return command
