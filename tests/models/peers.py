"""Compares what `normgen model` says with the models of transformers, for every type that both know: names, order, widths, epsilons,
parameters, offset, rounding, and what is added where.

    python3 tests/models/peers.py [TYPE...]

Prints what differs. What a model lacks to be called (images, sound) is compared at rest: names, widths and epsilons."""

import json
import re
import signal
import subprocess
import sys

import reference
from transformers import CONFIG_MAPPING

SECONDS = 60

# Norms that are no modules in the reference code, by the last part of their names.
FUNCTIONS = {"l2norm"}

# Heads for tasks.
HEADS = re.compile(r"(^|\.)(cls|lm_head)\.")


def known_types():
    code = 'package.path = "./?.lua;" .. package.path for _, t in ipairs(require("models.models").types()) do print(t) end'
    return subprocess.run(["luajit", "-e", code], capture_output=True, text=True, check=True).stdout.split()


def ask(configs):
    """What normgen finds in configs, given as dicts."""
    text = "".join(json.dumps(c, default=str) + "\n" for c in configs)
    done = subprocess.run(["luajit", "tests/models/sites.lua"], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def pattern(name):
    """A site's name as a part of a module's: a tower's name may stand apart from the rest, * is the number of a layer."""
    first, *rest = re.sub(r"\[.*\]$", "", name).split(".")
    text = re.escape(first) + (r"(\..*)?" if rest else "") + "".join(r"\." + re.escape(part) for part in rest)
    return re.compile(r"(^|\.)" + text.replace(r"\*", "[^.]+") + "$")


class Site:
    """A site of normgen and the modules that are meant: two where it is a norm of a branch and the next one of the stream."""

    def __init__(self, fields):
        self.__dict__.update(fields)
        self.parts = self.site.split("+")
        self.patterns = [pattern(part) for part in self.parts]
        self.is_first = bool(re.match(r"(\w+\.)*?\w+\.0\.", self.parts[-1])) and not self.per_layer

    def part_for(self, name):
        return next((i for i, p in enumerate(self.patterns) if p.search(name)), None)


def layer(name):
    found = re.search(r"(?:^|\.)(\d+)\.", name)
    return int(found[1]) if found else None


def fit(site, name):
    """How well a site's name fits a module's: how much of its end it is, in one piece, from how early; None if it does not."""
    part = site.part_for(name)
    if part is None:
        return None
    text = re.sub(r"\[.*", "", site.parts[part]).replace("*", "0")
    end = text if name.endswith(text) else text.partition(".")[2]
    return len(end), end == text, -site.patterns[part].search(name).start()


def best(sites, name):
    """The sites that a module's name fits best."""
    fits = [(fit(s, name), s) for s in sites]
    most = max((f for f, _ in fits if f), default=None)
    return [s for f, s in fits if f and f == most]


def wrong_values(site, norm, part):
    """What a module has that its site has not."""
    pairs = [("width", site.width, norm["width"]), ("norm", site.norm, norm.get("norm")), ("affine", site.affine, norm.get("affine"))]
    if norm.get("affine") != "none":
        pairs.append(("offset", site.offset, norm.get("offset")))
    if norm.get("cast"):
        pairs.append(("rounding", "llama" if site.cast == "llama" else "exact", norm["cast"]))
    wrong = [f"{what} is {theirs}, not {ours}" for what, ours, theirs in pairs if theirs is not None and ours != theirs]
    if norm["eps"] is not None and abs(norm["eps"] - site.eps) > 1e-4 * site.eps:
        wrong.append(f"eps is {norm['eps']}, not {site.eps}")
    return wrong


def wrong_flow(site, norm, part):
    """What is added elsewhere than the site says."""
    is_sum = norm["reads"][0] == "add" and "embedding" not in norm["reads"][1:] and "cat" not in norm["reads"][1:]
    fusion = site.__dict__.get("fusion")
    if fusion == "sandwich":
        fusion = "addafter" if part == 0 else "addout" if site.per_layer else "add"
    if fusion == "addout" and not (norm["reads"][0] == "add" and norm["beside"]):
        return "reads no sum that goes on"
    if fusion == "add" and norm["reads"][0] != "add" and "only the rows of class tokens" not in site.note:
        return "reads no sum"
    if fusion == "addafter" and "add" not in norm["goes"]:
        return "is not added to anything"
    is_shared = "reads the rows that" in site.note
    if not fusion and is_sum and site.norm in ("rmsnorm", "layernorm") and site.per_layer and norm["beside"] and not is_shared:
        return "reads a sum that is not named"


def differences(norms, answer):
    if answer.get("error"):
        return ["refused: " + answer["error"]]
    sites, wrong = [Site(s) for s in answer["sites"]], []
    unknown = [s for s in sites if not s.__dict__.get("spec")]
    sites = [s for s in sites if s.__dict__.get("spec")]
    used, last = set(), -1
    for norm in norms.sites:
        name = norm["name"]
        if re.search(r"\.norms\.\d+$", name):  # a module for each head
            name, norm = name.rpartition(".norms.")[0], {**norm, "width": None}
        if any(name.startswith(part.site + ".") for part in unknown):
            continue
        fits = best(sites, name)
        for s in fits:
            used.add(s.site)
        if not fits:
            if not unknown and not HEADS.search(name):
                wrong.append(name + ": no site")
            continue
        later = [s for s in fits if s.is_first and name.endswith(s.parts[-1])] or [s for s in fits if not s.is_first] or fits
        all_wrong = [wrong_values(s, norm, s.part_for(name)) for s in later]
        if all(all_wrong):
            wrong += [f"{name}: {text}" for text in min(all_wrong, key=len)]
        site = later[0]
        if "reads" not in norm or layer(name) == 0 and not site.is_first:
            continue
        flow = wrong_flow(site, norm, site.part_for(name))
        if flow:
            wrong.append(f"{name}: {flow}")
        if layer(name) == 1 and len(site.parts) == 1 and "*" not in site.site and not norms.error:
            wrong += [f"{name}: out of order"] if sites.index(site) < last else []
            last = max(last, sites.index(site))
    for s in sites:
        if s.site not in used and not s.is_first and s.site.split(".")[-1] not in FUNCTIONS:
            wrong.append(f"{s.site}: no module")
    return wrong


def variants(cls, fields, asked):
    """Configs in which one of the fields that normgen has asked for is missing, or a switch is the other way round: (what, fields)."""
    for name in sorted(set(asked) & set(fields) - {"model_type", "dtype", "architectures"}):
        if isinstance(fields[name], bool):
            yield f"{name} = {not fields[name]}", {**fields, name: not fields[name]}
        if not isinstance(fields[name], dict):
            yield f"no {name}", {k: v for k, v in fields.items() if k != name}


class TooLong(Exception):
    pass


def alarm(*_):
    raise TooLong


def attempt(action):
    """What an action gives and None, or None and why it gives nothing."""
    signal.alarm(SECONDS)
    try:
        return action(), None
    except (Exception, TooLong) as error:
        return None, f"{type(error).__name__}: {error}"[:150]
    finally:
        signal.alarm(0)


def compare(model_type):
    """The differences of a type's small model, whether it was called, and those of its variants; or why there is none."""
    cls = CONFIG_MAPPING[model_type]
    built, why = attempt(lambda: (lambda config: (config.to_dict(), reference.Norms(config)))(reference.tiny_config(cls)))
    if why:
        return None, why
    fields, norms = built
    answer = ask([fields])[0]
    wrong = differences(norms, answer)
    changed = list(variants(cls, fields, answer["asked"]))
    for (what, other), its_answer in zip(changed, ask([other for _, other in changed]) if changed else []):
        if its_answer.get("error"):
            continue  # asked for, instead of guessed
        rest, why = attempt(lambda: reference.Norms(cls.from_dict(dict(other)), at_rest=True))
        wrong += [f"{what}: {text}" for text in differences(rest, its_answer)[:2]] if rest else []
    return (wrong, not norms.error), None


def main():
    signal.signal(signal.SIGALRM, alarm)
    known = known_types()
    types = sys.argv[1:] or [t for t in known if t in CONFIG_MAPPING]
    passed = failed = called = 0
    for model_type in types:
        found, why = compare(model_type)
        if why:
            print(f"{model_type}: not built: {why}", flush=True)
            continue
        wrong, was_called = found
        passed, failed, called = passed + (not wrong), failed + bool(wrong), called + was_called
        for text in wrong[:8]:
            print(f"{model_type}: {text}", flush=True)
    print(f"{passed + failed} of {len(known)} model types compared, {called} of them in use, {len(types) - passed - failed} not built")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
