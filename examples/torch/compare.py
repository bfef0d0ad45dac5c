"""Each norm of the models in ng_kernels, as an operator of torch, beside torch's own.   compare.py f32|bf16

Largest differences are printed, in units of the last place of what a value of y is made of, gamma * rstd * (|x| + |mean|) +
|beta|. At most 16 are allowed in f32; one in bf16, where both sides round values that are almost equal.
"""

import sys

import ng_kernels
import torch

UNIT = {"f32": (torch.float32, 2.0**-23, 16), "bf16": (torch.bfloat16, 2.0**-7, 1)}
dtype, unit, allowed = UNIT[sys.argv[1]]
ROWS = (3, 37)


def inputs_of(kernel):
    """Inputs as a model could have them: rows with a mean, parameters about 1 and 0."""
    spread = {"x": (0.5, 2), "residual": (-0.25, 1), "gamma": (1, 0.25), "beta": (0, 0.25)}
    inputs = {}
    for argument in kernel.given:
        if argument.name in spread:
            mean, deviation = spread[argument.name]
            shape = argument.shape_beside((*ROWS, kernel.h))
            inputs[argument.name] = (torch.randn(shape) * deviation + mean).to(dtype)
    return inputs


def expected(kernel, inputs, eps):
    """What torch makes of the same inputs: y and the sum of x and residual; and the size of what y is made of."""
    x, gamma, beta = inputs["x"], inputs["gamma"], inputs.get("beta")
    h = x + inputs["residual"] if "residual" in inputs else x
    wide, mean, offset = h.double(), 0, 0
    if kernel.name.startswith("layernorm"):
        y = torch.nn.functional.layer_norm(h, (kernel.h,), gamma, beta, eps)
        mean, offset = wide.mean(-1, keepdim=True), beta.double().abs()
    else:
        y = torch.nn.functional.rms_norm(h, (kernel.h,), gamma, eps)
    deviation = ((wide - mean).square().mean(-1, keepdim=True) + eps).sqrt()
    return (y, h), gamma.double().abs() * (wide.abs() + abs(mean)) / deviation + offset


def compare(name, eps):
    kernel, operator = kernels.kernels[name], getattr(torch.ops.ng, name)
    inputs = inputs_of(kernel)
    outputs = operator(*inputs.values(), eps)
    outputs = outputs if isinstance(outputs, (tuple, list)) else [outputs]
    theirs, size = expected(kernel, inputs, eps)
    if len(outputs) > 1 and not torch.equal(outputs[1], theirs[1]):
        sys.exit(f"{name}: another sum than torch's")
    difference = (outputs[0].double() - theirs[0].double()).abs()
    return difference.max().item(), (difference / (unit * size).clamp(min=1e-30)).max().item()


kernels = ng_kernels.load()
kernels.selftest()
kernels.register_torch()
torch.manual_seed(1)
worst = []
for model, sites in ng_kernels.SITES.items():
    for name, eps in sorted(set(sites.values())):
        largest, units = compare(name, eps)
        worst.append(units)
        print(f"{model} {name} eps={eps:g}: largest difference {largest:.2e}, {units:.2f} units")
print(f"{sys.argv[1]}: largest difference {max(worst):.2f} units, bound {allowed}")
sys.exit(not all(units <= allowed for units in worst))
