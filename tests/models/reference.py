"""The norms of transformers' models, seen from outside: a small model of random weights is run, and each norm tells what it
computes, what it reads and where its output goes."""

import copy
import importlib
import inspect
import os
import re
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
warnings.filterwarnings("ignore")

import torch
import transformers
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from transformers import CONFIG_MAPPING, PretrainedConfig, PreTrainedModel
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

torch.manual_seed(0)

# Sizes that differ from each other, so that a width tells which field it comes from.
TINY = {
    "hidden_size": 64, "d_model": 64, "n_embd": 64, "dim": 64, "embed_dim": 64, "hidden_dim": 64, "embedding_size": 44,
    "input_embedding_size": 44, "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4, "num_key_value_heads": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "head_dim": 24, "d_kv": 24, "intermediate_size": 112, "d_ff": 112,
    "ffn_dim": 112, "encoder_ffn_dim": 112, "decoder_ffn_dim": 112, "moe_intermediate_size": 40, "n_inner": 112,
    "shared_expert_intermediate_size": 40, "vocab_size": 160, "num_hidden_layers": 4, "num_layers": 4, "n_layer": 4, "n_layers": 4,
    "encoder_layers": 3, "decoder_layers": 3, "num_decoder_layers": 3, "depth": 3, "num_local_experts": 4, "num_experts": 4,
    "n_routed_experts": 4, "num_experts_per_tok": 2, "q_lora_rank": 36, "kv_lora_rank": 40, "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16, "v_head_dim": 16, "max_position_embeddings": 128, "pad_token_id": 0, "mamba_expand": 2,
    "mamba_d_state": 8, "mamba_n_groups": 1, "n_groups": 1, "mamba_n_heads": 8, "mamba_d_head": 16, "state_size": 8,
    "linear_key_head_dim": 12, "linear_value_head_dim": 20, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
    "image_size": 32, "patch_size": 8, "num_channels": 3, "vocab_size_per_layer_input": 160, "hidden_size_per_layer_input": 20,
    "n_group": 1, "topk_group": 1, "projection_dim": 48,
}

# What else a family needs to be small.
MORE = {
    "helium": {"head_dim": 16}, "gptj": {"rotary_dim": 8}, "codegen": {"rotary_dim": 8}, "hunyuan_v1_dense": {"head_dim": 16},
    "hunyuan_v1_moe": {"head_dim": 16}, "falcon_h1": {"mamba_d_ssm": 128, "mamba_rms_norm": True},
    "mamba2": {"num_heads": 8, "head_dim": 16, "expand": 2}, "gpt_neo": {"attention_types": [[["global", "local"], 2]]},
    "nemotron_h": {"mamba_num_heads": 8, "mamba_head_dim": 16}, "convnext": {"hidden_sizes": [8, 12, 16, 24], "depths": [2, 2, 2, 2]},
    "swin": {"embed_dim": 8, "depths": [2, 2, 2, 2], "num_heads": [2, 2, 2, 2], "patch_size": 2, "window_size": 2},
    "ministral": {"head_dim": 16}, "nemotron": {"head_dim": 16, "num_key_value_heads": 4},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 2},
    "mllama_text_model": {"cross_attention_layers": [1, 3]}, "gemma3": {"mm_tokens_per_image": 4},
}

# Operations that give their first operand's numbers.
SAME = {"view", "_unsafe_view", "reshape", "_to_copy", "clone", "contiguous", "unsqueeze", "squeeze", "transpose", "permute", "detach",
        "expand", "t", "alias", "dropout", "native_dropout", "lift_fresh", "flatten"}


def tiny_config(cls, changes=None):
    """A small config of a class; each epsilon is a number of its own. `changes` go to the class as they are."""
    default = cls().to_dict()
    fields = {}
    for name, value in default.items():
        if re.search(r"(eps|epsilon)$", name) and isinstance(value, float):
            fields[name] = 1.7e-4 * (1 + 0.37 * (sum(map(ord, name)) % 23))
        elif name in TINY and type(value) is int and not (name == "head_dim" and "qk_rope_head_dim" in default):
            fields[name] = TINY[name]
    for name in getattr(cls, "sub_configs", None) or {}:
        part = getattr(cls(), name, None)
        if isinstance(part, PretrainedConfig):
            fields[name] = tiny_config(type(part))
    fields.update(MORE.get(cls.model_type, {}))
    fields.update(changes or {})
    config = cls(**fields)
    config._attn_implementation = "eager"
    return config


def model_class(cls):
    """The base model of a configuration class, or None."""
    name = MODEL_MAPPING_NAMES.get(cls.model_type)
    name = name[0] if isinstance(name, (list, tuple)) else name
    if name and hasattr(transformers, name):
        return getattr(transformers, name)
    package = cls.__module__.rsplit(".", 1)[0]
    folder = os.path.dirname(importlib.import_module(package).__file__)
    found = []
    for file in sorted(os.listdir(folder)):
        if file.startswith("modeling_"):
            module = importlib.import_module(package + "." + file[:-3])
            found += [c for _, c in inspect.getmembers(module, inspect.isclass) if issubclass(c, PreTrainedModel)
                      and getattr(c, "config_class", None) is cls and c.__module__ == module.__name__]
    found = [c for c in found if not c.__name__.endswith("PreTrainedModel")]
    found = [c for c in found if "For" not in c.__name__] or found
    return min(found, key=lambda c: len(c.__name__), default=None)


def is_norm(module):
    kinds = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, nn.modules.batchnorm._BatchNorm)
    named = re.search("norm", type(module).__name__, re.I) and "WeightNorm" not in type(module).__name__
    return isinstance(module, kinds) or bool(named) and not any(True for _ in module.children())


class Flow(TorchDispatchMode):
    """What each tensor comes from and where it goes, norms as a whole."""

    def __init__(self):
        super().__init__()
        self.nodes, self.kept, self.made, self.uses, self.inside = {}, [], [], {}, 0

    def of(self, tensor):
        if id(tensor) not in self.nodes:
            self.put(tensor, self.add("given", []))
        return self.nodes[id(tensor)]

    def put(self, tensor, node):
        self.nodes[id(tensor)] = node
        self.kept.append(tensor)

    def add(self, name, sources):
        self.made.append((name, sources))
        for source in sources:
            self.uses.setdefault(source, []).append(len(self.made) - 1)
        return len(self.made) - 1

    def name(self, node):
        return self.made[node][0]

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        sources = [t for t in tree_leaves((args, kwargs or {})) if torch.is_tensor(t)]
        results = [t for t in tree_leaves(result) if torch.is_tensor(t)]
        if self.inside or not results:
            return result
        name = func.overloadpacket.__name__.rstrip("_")
        if name in {s.rstrip("_") for s in SAME} and sources and results[0].numel() == sources[0].numel():
            node = self.of(sources[0])
        else:
            if name == "add" and len(sources) == 2 and sources[0].numel() != sources[1].numel():
                name = "add of a vector"
            node = self.add(name, [self.of(t) for t in sources])
        for tensor in results:
            self.put(tensor, node)
        return result


def epsilon(module):
    for name in ("eps", "variance_epsilon", "epsilon", "layer_norm_eps"):
        if isinstance(getattr(module, name, None), (int, float)):
            return getattr(module, name)


def weights(module):
    """The tensors that the norm multiplies with, and those that it adds."""
    own = list(module.named_parameters(recurse=False))
    return [p for name, p in own if "bias" not in name], [p for name, p in own if "bias" in name]


def behaviour(module, shape, more):
    """What a norm of rows computes: mean or not, parameters, offset, and where it rounds in bf16. `more`: further arguments."""
    module = copy.deepcopy(module).float().eval()

    def call(x, of=module):
        result = of(x, *[a.to(x.dtype) if a.is_floating_point() else a for a in more])
        return result[0] if isinstance(result, tuple) else result

    found = {}
    with torch.no_grad():
        gamma, beta = weights(module)
        found["affine"] = "gamma+beta" if beta else "gamma" if gamma else "none"
        for tensor in beta + gamma:
            tensor.zero_()
        found["offset"] = int(bool(gamma) and call(torch.randn(shape)).abs().max() > 0)
        for tensor in gamma:
            tensor.fill_(1 - found["offset"])
        found["norm"] = "layernorm" if call(torch.full(shape, 3.0)).abs().max() < 1e-2 else "rmsnorm"
        if found["norm"] == "rmsnorm" and gamma and not more and epsilon(module) is not None:
            found["cast"] = rounding(module, call, shape, found["offset"])
    return found


def rounding(module, call, shape, offset):
    """llama where an RMSNorm rounds in front of gamma, exact where it rounds at its end alone, else none of them."""
    g, x = (torch.randn(shape[-1]) + 1).bfloat16(), torch.randn(shape).bfloat16()
    short = copy.deepcopy(module).bfloat16()
    weights(short)[0][0].copy_(g)
    y = call(x, short).float()
    normal = x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + epsilon(module))
    wanted = {"llama": normal.bfloat16() * (g + offset), "exact": normal * (g.float() + offset)}
    return next((name for name, value in wanted.items() if (y != value.bfloat16().float()).float().mean() < 0.01), "other")


def inputs(model, config):
    """Arguments for a call, as the names of the parameters ask for."""
    names = inspect.signature(model.forward).parameters
    ids = torch.randint(3, 90, (1, 12))
    given = {name: ids for name in ("input_ids", "decoder_input_ids") if name in names}
    image = getattr(config, "image_size", None) or 32
    image = image[0] if isinstance(image, (list, tuple)) else image
    if "pixel_values" in names:
        given["pixel_values"] = torch.randn(1, getattr(config, "num_channels", 3), image, image)
    if "input_values" in names and "input_ids" not in given:
        given["input_values"] = torch.randn(1, 4000)
    if "input_features" in names and "input_ids" not in given or getattr(model, "main_input_name", "") == "input_features":
        given["input_features"] = torch.randn(1, getattr(config, "num_mel_bins", 80), 2 * getattr(config, "max_source_positions", 50))
    if "use_cache" in names:
        given["use_cache"] = False
    return given


class Norms:
    """The norms of the model of a config: `sites` in the order of their first calls, or of the modules where the model cannot be
    called without more (`error` says why then). A site is a dict: name, width, eps; of those that were called also what
    `behaviour` gives, and reads, beside, goes: the operations that made its input, that use its input, too,
        and that use its output. `at_rest`: the model
    is built without memory, of whatever size it is, and not called."""

    def __init__(self, config, at_rest=False):
        self.error = "not called" if at_rest else None
        with torch.device("meta" if at_rest else "cpu"):
            model = model_class(type(config))(config).eval().float()
        self.modules = [(name, module) for name, module in model.named_modules() if is_norm(module)]
        self.sites = [self.at_rest(name, module) for name, module in self.modules]
        if not at_rest:
            self.call(model, config)

    def call(self, model, config):
        self.called, self.flow, hooks = {}, Flow(), []
        for name, module in self.modules:
            hooks.append(module.register_forward_pre_hook(self.enter, with_kwargs=True))
            hooks.append(module.register_forward_hook(self.leave(name, module), with_kwargs=True))
        try:
            with torch.no_grad(), self.flow:
                model(**inputs(model, config))
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"[:120]
        for hook in hooks:
            hook.remove()
        self.sites = [self.in_use(site) for site in self.sites]
        order = list(self.called)
        if not self.error:
            self.sites.sort(key=lambda site: order.index(site["name"]) if site["name"] in order else len(order))

    @staticmethod
    def at_rest(name, module):
        gamma, beta = weights(module)
        width = (gamma + beta)[0].numel() if gamma + beta else None
        return {"name": name, "width": width, "eps": epsilon(module)}

    def enter(self, module, args, kwargs):
        self.flow.inside += 1

    def leave(self, name, module):
        def hook(_, args, kwargs, result):
            self.flow.inside -= 1
            given = [a for a in tree_leaves((args, kwargs)) if torch.is_tensor(a) and a.is_floating_point()]
            result = result[0] if isinstance(result, tuple) else result
            node = self.flow.add("norm", [self.flow.of(a) for a in given])
            self.flow.put(result, node)
            self.called.setdefault(name, (module, self.flow.of(given[0]), node, list(given[0].shape), given[1:]))
        return hook

    def in_use(self, site):
        if site["name"] not in self.called:
            return site
        module, source, node, shape, more = self.called[site["name"]]
        flow = self.flow
        site["width"] = site["width"] or shape[-1]
        name, operands = flow.made[source]
        site["reads"] = [name] + [flow.name(o) for o in operands]
        site["beside"] = {flow.name(use) for use in flow.uses.get(source, []) if use != node}
        site["goes"] = {flow.name(use) for use in flow.uses.get(node, [])}
        if not isinstance(module, (nn.GroupNorm, nn.modules.batchnorm._BatchNorm)) and shape[-1] == site["width"]:
            site.update(behaviour(module, shape, more))
        return site
