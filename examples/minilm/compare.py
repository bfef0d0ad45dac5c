"""Runs a BERT on sentences and gives to our kernels what each of its norms gets.   compare.py MODEL-DIRECTORY

The largest difference of all outputs is printed for each site, and must not exceed 16 * 2^-23 * (1 + |y|).
"""

import sys

import ng_kernels
import torch
import transformers

SENTENCES = ["A kernel is the softer, usually edible part of a nut.", "The same bits everywhere.",
    "Normalisation layers keep the scale of activations in check, whatever the depth of the network."]
BOUND = 16 * 2.0**-23


def site_of(name):
    """The site of a norm, as normgen model names it: its module's name without encoder and the number of its layer."""
    return name.replace("encoder.layer.", "").lstrip("0123456789.")


def record_norms(model):
    """Hooks that record, for each norm of the model, what its block adds up in front of it, and what it makes of that."""
    calls = []

    def hook(name, block, norm):
        # attention.output and output add dense(hidden) and the residual; the embedding's sum has no name of its own.
        parts = {}
        if hasattr(block, "dense"):
            block.dense.register_forward_hook(lambda _, arguments, output: parts.update(x=output))
            block.register_forward_pre_hook(lambda _, arguments: parts.update(residual=arguments[1]))
        norm.register_forward_hook(lambda norm, arguments, output: calls.append((name, norm, parts or {"x": arguments[0]}, output)))

    modules = dict(model.named_modules())
    for name, norm in modules.items():
        if isinstance(norm, torch.nn.LayerNorm):
            hook(name, modules[name.rpartition(".")[0]], norm)
    return calls


kernels = ng_kernels.load()
kernels.selftest()
transformers.utils.logging.disable_progress_bar()
tokenizer = transformers.AutoTokenizer.from_pretrained(sys.argv[1])
model = transformers.AutoModel.from_pretrained(sys.argv[1], dtype=torch.float32).eval()
sites = ng_kernels.SITES["bert"]
calls = record_norms(model)
largest, count = dict.fromkeys(sites, 0.0), 0
with torch.no_grad():
    tokens = tokenizer(SENTENCES, padding=True, return_tensors="pt")
    model(**tokens)
    for name, norm, parts, output in calls:
        kernel, eps = sites[site_of(name)]
        ours = getattr(kernels, kernel)(*(part.contiguous() for part in parts.values()), norm.weight, norm.bias, eps)
        difference = (ours - output).abs()
        if not bool((difference <= BOUND * (1 + output.abs())).all()):
            sys.exit(f"{name}: difference {difference.max().item():.2e}")
        largest[site_of(name)] = max(largest[site_of(name)], difference.max().item())
        count += output.numel()
for site, difference in largest.items():
    print(f"{site}: largest difference {difference:.2e}")
print(f"norms compared: {len(calls)}, values: {count}, largest difference {max(largest.values()):.2e}, bound {BOUND:.2e} * (1 + |y|)")
if len(calls) != 1 + 2 * model.config.num_hidden_layers:
    sys.exit("not every norm was called once")
