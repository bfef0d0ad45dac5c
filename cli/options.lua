--- Every argument and option of the command, once: the subcommands name the ones they take.

local cells = require "tuner.cells"

local options = {}

local ROWS = {
  specs = { kind = "argument", name = "SPEC", args = "+", target = "specs",
    about = "A spec in one argument, or a spec file (ends in .lua or contains /)." },
  what = { kind = "argument", name = "WHAT", args = "+", target = "what",
    about = "norms, targets, options, models, or specs and spec files." },
  kernel = { kind = "argument", name = "KERNEL", args = 1, target = "kernel",
    about = "The name of a kernel (with or without prefix and target), or a spec." },
  spec = { kind = "argument", name = "SPEC", args = 1, target = "spec", about = "A spec in one argument." },
  target = { kind = "option", name = "--target", hint = "T,...",
    about = "Targets, separated by commas; native: the best one of this machine; all: every one." },
  check_target = { kind = "option", name = "--target", hint = "T,...", default = "all",
    about = "Targets, separated by commas; native or all. Foreign ones run under qemu." },
  stage_target = { kind = "option", name = "--target", hint = "T", about = "The target, from stage schedule on." },
  target_path = { kind = "option", name = "--target-path", hint = "DIR", many = true,
    about = "Also knows the targets in the *.lua files of this directory. May be repeated." },
  output = { kind = "option", name = "-o --output", hint = "DIR",
    about = "Write the files into this directory, made if missing; without it, kernels (or the single header) go to "
      .. "standard output." },
  prefix = { kind = "option", name = "--prefix", hint = "P", default = "ng_", about = "Prefix of all C names." },
  check = { kind = "flag", name = "--check",
    about = "Write nothing; print which files in the directory of -o are missing or differ, and exit with 1 if one does." },
  depfile = { kind = "option", name = "--depfile", hint = "FILE",
    about = "Also write a makefile rule that names the written files (or the stamp) and all files that were read." },
  stamp = { kind = "option", name = "--stamp", hint = "FILE",
    about = "Also write this empty file, anew on every run; the others are touched only if their text changes." },
  schedule = { kind = "option", name = "--schedule", hint = "K=V,...",
    about = "Schedule keys to set; the others keep their defaults." },
  tuned = { kind = "option", name = "--tuned", hint = "FROM,...",
    about = "Take schedules from tuned records: user (those of normgen tune), shipped (those that come with normgen), or paths." },
  require_tuned = { kind = "flag", name = "--require-tuned",
    about = "Fail where a record of --tuned cannot be used, or a kernel would fall back to the default." },
  schedules = { kind = "option", name = "--schedule", hint = "K=V,...", target = "schedule", many = true,
    about = "Also time the kernels with these schedule keys set, beside the defaults. May be repeated." },
  rows = { kind = "option", name = "--rows", hint = "R,...", default = "1,32",
    about = "Numbers of rows, for all kernels (32) or for those of one h or c (32x4096)." },
  positions = { kind = "option", name = "--positions", hint = "N,...", default = tostring(cells.POSITIONS),
    about = "Numbers of positions, for kernels that have some: for all of them (64) or for those of one h or c (64x320)." },
  tune_specs = { kind = "argument", name = "SPEC", args = "*", target = "specs",
    about = "A spec in one argument, or a spec file (ends in .lua or contains /)." },
  tune_target = { kind = "option", name = "--target", hint = "T,...",
    about = "Targets, separated by commas; without it the best one of this machine." },
  regime = { kind = "option", name = "--regime", hint = "R,...",
    about = "Where the rows are: hot (few rows in the first cache), l2, dram (many rows in memory). All three without it." },
  tune_rows = { kind = "option", name = "--rows", hint = "N", about = "Calls of this many rows, instead of --regime." },
  effort = { kind = "option", name = "--effort", default = "normal", choices = { "quick", "normal", "thorough" },
    about = "How many schedules to try, how often: quick, normal, or thorough (all of them)." },
  budget = { kind = "option", name = "--budget", hint = "TIME",
    about = "Time for each kernel on each target: 90s, 2m. Without it 15s, 60s or 10m, by effort." },
  runner = { kind = "option", name = "--runner", hint = "'PROGRAM ARG...'",
    about = "Runs a static program, its path and arguments behind these words, somewhere else, and prints what it prints." },
  export = { kind = "option", name = "--export", hint = "DIR",
    about = "Do not tune; write C and a script for a machine without normgen: sh run.sh > result.jsonl" },
  import = { kind = "option", name = "--import", hint = "FILE", about = "Add what the script of --export printed to the user's records." },
  merge = { kind = "flag", name = "--merge", about = "Merge records: from standard input to standard output." },
  distill = { kind = "flag", name = "--distill",
    about = "The same, and keep the best one for each kernel, target and regime on a microarchitecture." },
  report_files = { kind = "argument", name = "FILE", args = "+", target = "files",
    about = "Records of normgen tune, and what normgen bench --format json printed." },
  report_output = { kind = "option", name = "-o --output", hint = "FILE", about = "Write the page into this file." },
  report_format = { kind = "option", name = "--format", default = "html", choices = { "html", "md" },
    about = "html: one page that needs nothing else; md: tables." },
  events = { kind = "flag", name = "--json", about = "Print events as lines of JSON." },
  rivals = { kind = "option", name = "--rivals", hint = "G,...", default = "default",
    about = "Groups of rivals (below); default: plain and double; all; none." },
  rival = { kind = "option", name = "--rival", hint = "'FILE.c FLAG...'", many = true,
    about = "A rival of your own (bench/rival.h says how) and the flags to compile and link it. May be repeated." },
  rounds = { kind = "option", name = "--rounds", hint = "N", default = "201", about = "Rounds of a cell." },
  report = { kind = "option", name = "--format", default = "text", choices = { "text", "md", "csv", "json" },
    about = "text, md, csv or json." },
  into = { kind = "option", name = "--into", hint = "FILE",
    about = "Write what --format md makes into this document, between its marks <!-- BENCH T --> and <!-- END OF BENCH T -->." },
  table = { kind = "option", name = "--table", hint = "NAME", about = "With --into: the marks are <!-- BENCH T NAME -->." },
  list_format = { kind = "option", name = "--format", default = "text", choices = { "text", "json", "files", "make", "cmake" },
    about = "text or json; for the files that emit writes for specs: files (one name a line), make (rules to include), or cmake "
      .. "(variables)." },
  single = { kind = "flag", name = "--single", about = "The files are those of emit --format single." },
  layout = { kind = "option", name = "--format", target = "layout", default = "dir", choices = { "dir", "single" },
    about = "dir: a file for each kernel, header, registry and dispatcher; single: all of that in one header, "
      .. "<prefix>kernels_single.h, whose first lines say how to use it." },
  bindings = { kind = "option", name = "--bindings", hint = "L,...",
    about = "Also write a module that loads the kernels from a shared library, for each of these languages: luajit "
      .. "(<prefix>kernels.lua), python (<prefix>kernels.py, for NumPy and torch)." },
  model = { kind = "argument", name = "MODEL", args = 1, target = "model",
    about = "The path of a config.json (contains / or ends in .json; - is standard input), or a name of normgen list models." },
  dtype = { kind = "option", name = "--dtype", hint = "T", choices = { "f32", "bf16", "f16", "f64" },
    about = "The dtype of data and parameters; without it, that of the config, else f32." },
  residual_dtype = { kind = "option", name = "--residual", hint = "T", choices = { "f32", "bf16", "f16", "f64" },
    about = "The dtype of the residual stream; without it, that of the model." },
  cast = { kind = "option", name = "--cast", default = "reference", choices = { "reference", "exact" },
    about = "reference: round where the model's reference code does; exact: round once, at the end." },
  set = { kind = "option", name = "--set", hint = "NAME=VALUE", many = true,
    about = "Give the config a field, or another value for one: JSON, else a string; dots reach into objects. May be repeated." },
  json = { kind = "flag", name = "--json", about = "Print JSON." },
  stage = { kind = "option", name = "--stage", hint = "STAGE", required = true,
    about = "problem, plan, schedule, code or text." },
  cc = { kind = "option", name = "--cc", hint = "CC", about = "The C compiler for this machine, cc by default." },
}

--- The row of a name: `{ kind = argument|option|flag, name=, about=, hint=|nil, default=|nil, choices=|nil, ... }`.
function options.row(name) return ROWS[name] end

--- Adds options to an argparse command.
-- @param command argparse command
-- @param names array of names of rows above, in the order of --help
function options.add(command, names)
  for _, name in ipairs(names) do
    local row = ROWS[name]
    local element = command[row.kind](command, row.name, row.about)
    if row.args then element:args(row.args) end
    if row.hint then element:argname(row.hint) end
    if row.default then element:default(row.default) end
    if row.choices then element:choices(row.choices) end
    if row.target then element:target(row.target) end
    if row.many then element:count "*" end
    if row.required then element:count(1) end
  end
end

return options
