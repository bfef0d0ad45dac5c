"""Which model types of transformers does `normgen model` know?

    python3 tools/model-coverage.py             prints each type: known, unknown, or without norms; then the numbers
    python3 tools/model-coverage.py --defaults  prints models/defaults.lua

Needs transformers; --defaults also needs torch, which its classes load."""

import importlib
import inspect
import json
import os
import re
import subprocess
import sys

import transformers

ROOT = os.path.join(os.path.dirname(transformers.__file__), "models")
WIDTH = 138

# Types of models that bring code of their own, and the type whose configuration class theirs follows.
LIKE = {"kimi_k2": "deepseek_v3", "minimax_m1": "minimax"}

# Fields that no norm depends on: they are checked against others, or name the type and the dtype.
BESIDE = {"model_type", "_class_name", "dtype", "torch_dtype", "num_hidden_layers", "num_layers", "n_layers", "n_layer"}

HEAD = """--- What the configuration classes of transformers give to fields that a nested config leaves out, by model type.
-- Made by tools/model-coverage.py --defaults.

return {"""


def configurations():
    """The configuration classes by model type: (folder, module, class)."""
    found = {}
    for folder in sorted(os.listdir(ROOT)):
        path = os.path.join(ROOT, folder)
        for file in sorted(os.listdir(path) if os.path.isdir(path) else []):
            if not re.fullmatch(r"configuration_\w+\.py", file):
                continue
            name = None
            for line in open(os.path.join(path, file), encoding="utf-8"):
                start, kind = re.match(r"class (\w+)\(", line), re.match(r'\s+model_type(?:: \w+)? = "([^"]+)"', line)
                name = start[1] if start else name
                if kind and name:
                    found.setdefault(kind[1], (folder, file[:-3], name))
    return found


def has_norms(folder):
    path = os.path.join(ROOT, folder)
    return any(re.search(r"Norm\w*\(", open(os.path.join(path, file), encoding="utf-8").read())
               for file in os.listdir(path) if re.fullmatch(r"modeling_\w+\.py", file))


def lua(code, text=""):
    command = ["luajit", "-e", 'package.path = "./?.lua;" .. package.path ' + code]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


def known_types():
    return lua('for _, t in ipairs(require("models.models").types()) do print(t) end')


def print_coverage():
    types, known = configurations(), set(known_types())
    words = {t: "known" if t in known else "unknown" if has_norms(folder) else "no norms" for t, (folder, _, _) in types.items()}
    for model_type in sorted(words):
        print(f"{words[model_type]:8} {model_type}")
    count = list(words.values()).count
    print(f"transformers {transformers.__version__}: {count('known')} types known, {count('unknown')} with norms unknown, "
          f"{count('no norms')} without norms; {len(known - set(words))} known ones are not of transformers")


def defaults_of(entry):
    """The simple defaults that a class itself gives, not what it derives from them."""
    folder, module, name = entry
    cls = getattr(importlib.import_module(f"transformers.models.{folder}.{module}"), name)
    found = {k: v for k, v in vars(cls).items() if not k.startswith("_")}
    found.update((k, p.default) for k, p in inspect.signature(cls.__init__).parameters.items())
    whole = json.loads(json.dumps(cls().to_dict(), default=str))
    return whole, {k: v for k, v in found.items() if isinstance(v, (bool, int, float, str))}


def asked_of(configs):
    """The names of the fields that normgen asks for in configs, by model type; none where it refuses one."""
    lines = lua('dofile "tests/models/sites.lua"', "".join(json.dumps(c) + "\n" for c in configs.values()))
    return {t: set(json.loads(line)["asked"]) for t, line in zip(configs, lines)}


def lua_value(value):
    if isinstance(value, float):
        return re.sub(r"e-0", "e-", repr(value))
    return json.dumps(value)


def print_defaults():
    types = configurations()
    known = {t: types[LIKE.get(t, t)] for t in known_types() if LIKE.get(t, t) in types}
    given = {t: defaults_of(entry) for t, entry in known.items()}
    answers = asked_of({t: dict(whole, model_type=t) for t, (whole, _) in given.items()})
    # Where a class has heads that do not divide the width, only configs with a dimension of heads are taken.
    answers.update(asked_of({t: dict(given[t][0], model_type=t, head_dim=128) for t, names in answers.items() if not names}))
    print(HEAD)
    for model_type, (_, own) in given.items():
        names = sorted(answers[model_type] & set(own) - BESIDE)
        line = f'  ["{model_type}"] = {{ ' + ", ".join(f"{n} = {lua_value(own[n])}" for n in names) + " },"
        while len(line) > WIDTH:
            cut = line.rindex(", ", 0, WIDTH)
            print(line[:cut + 1])
            line = "    " + line[cut + 2:]
        if names:
            print(line)
    print("}")


if __name__ == "__main__":
    print_defaults() if sys.argv[1:] == ["--defaults"] else print_coverage()
