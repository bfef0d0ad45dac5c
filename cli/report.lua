--- normgen report: records of the tuner, and what the bench found beside them, as a page.

local command = {
  summary = "Show tuned records as a page: roofline, and speed-ups over the default, plain C and peers.",
  arguments = { "report_files", "report_output", "report_format" },
  examples = {
    "normgen report ~/.local/share/normgen/tuned.jsonl -o report.html",
    "normgen bench specs/gpt2.lua --target avx512 --rows 2,85 --rivals all --format json > bench.json",
    "normgen report records/zen4.jsonl bench.json --format md",
  },
}

--- Loads what makes the page when it runs.
-- @param args parsed arguments
function command.run(args) require "tuner.report.command"(args) end

return command
