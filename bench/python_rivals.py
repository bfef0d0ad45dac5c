"""Times PyTorch and ONNX Runtime in turn with our kernels, called through ctypes, on the same buffers.

    python3 bench/python_rivals.py RESULTS ROUNDS LIBRARY GROUP[,GROUP] CELL...

A cell is an object of JSON: what a kernel is, its arguments, and how many rows and positions it is called with
(bench/program.lua). RESULTS gets lines as bench/bench.c writes them, with our kernel as an entry of each cell. One thread,
pinned to the last CPU that the process may use. What a rival writes is compared with our kernel's results, which bench.c
has compared with the reference; f32 rivals that are not near for a large mean as well are inexact.
"""

import ctypes
import json
import math
import os
import sys
import time

import numpy

SCALARS = {"eps": 1e-5, "momentum": 0.125}
# Where values lie around which middle; those of other arrays are between -1 and 1. The middle of x is the cell's mean.
RANGES = {"gamma": (1, 0.5), "beta": (0, 0.5), "var": (1, 0.5), "running_var": (1, 0.5)}
USUAL_MEAN, LARGE_MEAN = 0.25, 1000
OFFSET_ROWS = 4  # with a large mean
SLOT = 2000000  # ns of a round for each entry: calls from Python take longer than those from C
PERIOD = 61  # rows that differ
PAGE = 4096
PRECISION = {"f32": 24, "bf16": 8, "f16": 11}
STORAGE = {"f32": numpy.float32, "bf16": numpy.uint16, "f16": numpy.float16}


def empty(shape, dtype):
    """An array that begins with a page."""
    count = int(numpy.prod(shape))
    size = count * numpy.dtype(STORAGE[dtype]).itemsize
    raw = numpy.empty(size + PAGE, numpy.uint8)
    start = -raw.ctypes.data % PAGE
    return raw[start : start + size].view(STORAGE[dtype]).reshape(shape)


def narrow(values, dtype):
    if dtype != "bf16":
        return values.astype(STORAGE[dtype])
    bits = values.astype(numpy.float32).view(numpy.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)


def widen(array, dtype):
    if dtype != "bf16":
        return array.astype(numpy.float32)
    return (array.astype(numpy.uint32) << 16).view(numpy.float32)


class Cell:
    """The buffers of one cell, and our kernel on them."""

    def __init__(self, job, library, rows, mean):
        self.job, self.rows, self.positions = job, rows, job["positions"]
        self.norm, self.dtype, self.layout = job["norm"], job["dtype"], job["layout"]
        self.channels = job["channels"]
        sizes = {"rows": rows, "positions": self.positions, "h": self.channels, "c": self.channels}
        random = numpy.random.RandomState(1)
        self.arrays, self.dtypes, self.outputs, self.arguments = {}, {}, [], []
        for argument in job["args"]:
            name = argument["name"]
            if argument["shape"] == "scalar":
                is_size = name in sizes
                self.arguments.append(ctypes.c_size_t(sizes[name]) if is_size else ctypes.c_float(SCALARS[name]))
                continue
            middle, reach = (mean, 1) if name == "x" else RANGES.get(name, (0, 1))
            shape = tuple(sizes[axis] for axis in argument["shape"])
            few = (min(shape[0], PERIOD),) + shape[1:] if len(shape) > 1 else shape
            array = empty(shape, argument["dtype"])
            array[...] = numpy.resize(narrow(random.uniform(middle - reach, middle + reach, few), argument["dtype"]), shape)
            self.arrays[name], self.dtypes[name] = array, argument["dtype"]
            self.arguments.append(ctypes.c_void_p(array.ctypes.data))
            if argument["io"] != "in":
                self.outputs.append(name)
        self.initial = {name: self.arrays[name].copy() for name in self.outputs}
        self.kernel = getattr(library, job["symbol"])

    def restore(self):
        """Brings all outputs into the state that they have before a call."""
        for name in self.outputs:
            self.arrays[name][...] = self.initial[name]

    def results(self):
        return {name: self.arrays[name] for name in self.outputs}

    def run_kernel(self):
        self.kernel(*self.arguments)

    def expected(self):
        """Copies of what our kernel writes."""
        self.restore()
        self.run_kernel()
        copies = {name: array.copy() for name, array in self.results().items()}
        self.restore()
        return copies

    def is_close(self, name, values, expected, tolerance):
        dtype = self.dtypes[name]
        ulp = 2.0 ** (1 - PRECISION[dtype])
        values, expected = widen(values, dtype), widen(expected, dtype)
        return bool(numpy.all(numpy.abs(values - expected) <= tolerance + 2 * ulp * (1 + numpy.abs(expected))))


class Torch:
    """torch.nn.functional's norms in inference mode, behind torch.add where there is a residual. Images have four axes, as
    torch knows them, nhwc as channels_last. A norm over channels in nchw is one of rows, its axes exchanged before and
    after: the result is not brought back into the order of x."""

    def __init__(self):
        import torch

        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        self.torch = torch
        self.name = "torch " + torch.__version__.split("+")[0]

    def tensor(self, cell, name):
        is_bf16 = cell.dtypes[name] == "bf16"
        tensor = self.torch.from_numpy(cell.arrays[name].view(numpy.int16) if is_bf16 else cell.arrays[name])
        return tensor.view(self.torch.bfloat16) if is_bf16 else tensor

    def array(self, tensor):
        if tensor.dtype == self.torch.bfloat16:
            return tensor.view(self.torch.int16).numpy().view(numpy.uint16)
        return tensor.numpy()

    def image(self, cell, x):
        """x as torch sees it; its memory stays what it is."""
        if not cell.positions:
            return x
        height = max(d for d in range(1, math.isqrt(cell.positions) + 1) if cell.positions % d == 0)
        if cell.layout == "nchw":
            return x.view(cell.rows, cell.channels, height, -1)
        return x.view(cell.rows, height, -1, cell.channels).permute(0, 3, 1, 2)

    def matrix(self, cell, y):
        """The array that our kernel has for a result of torch."""
        if cell.positions and cell.layout == "nhwc":
            y = y.permute(0, 2, 3, 1)
        return self.array(y.reshape(cell.arrays["y"].shape))

    def norm(self, cell):
        """The norm as a function of x that returns y, or y and the statistics of a batch."""
        functional, torch, job = self.torch.nn.functional, self.torch, cell.job
        tensors = {name: self.tensor(cell, name) for name in cell.arrays}
        gamma, beta, eps, shape = tensors["gamma"], tensors.get("beta"), SCALARS["eps"], (cell.channels,)
        if cell.norm == "batchnorm":  # whose statistics are f32, and so must be gamma and beta
            gamma, beta = gamma.float(), beta.float()
        norms = {
            "rmsnorm": lambda x: functional.rms_norm(x, shape, gamma, eps),
            "layernorm": lambda x: functional.layer_norm(x, shape, gamma, beta, eps),
            "layernorm nchw": lambda x: functional.layer_norm(x.permute(0, 2, 3, 1), shape, gamma, beta, eps).permute(0, 3, 1, 2),
            "groupnorm": lambda x: functional.group_norm(x, job["groups"], gamma, beta, eps),
            "instancenorm": lambda x: functional.instance_norm(x, None, None, gamma, beta, True, 0, eps),
            "batchnorm infer": lambda x: functional.batch_norm(x, tensors["mean"], tensors["var"], gamma, beta, False, 0, eps),
            "batchnorm": lambda x: torch.native_batch_norm(
                x, gamma, beta, tensors["running_mean"], tensors["running_var"], True, SCALARS["momentum"], eps
            ),
        }
        word = "infer" if job["dir"] == "infer" else "nchw" if cell.norm == "layernorm" and cell.layout else ""
        return norms[(cell.norm + " " + word).strip()]

    def prepare(self, cell):
        """A function that runs the cell once, and one that returns what its last run wrote, by name."""
        norm, x, last = self.norm(cell), self.image(cell, self.tensor(cell, "x")), {}
        if "residual" in cell.arrays:
            residual, total = self.tensor(cell, "residual"), self.tensor(cell, "sum")

        def run():
            last["y"] = norm(x if "residual" not in cell.arrays else self.torch.add(x, residual, out=total))

        def results():
            y = last["y"]
            if not isinstance(y, tuple):
                return {**cell.results(), "y": self.matrix(cell, y)}
            return {**cell.results(), "y": self.matrix(cell, y[0]), "mean": self.array(y[1]), "rstd": self.array(y[2])}

        return run, results


class OnnxRuntime:
    """A model of one node, its inputs and outputs bound to our buffers."""

    NODES = {
        ("rmsnorm", ""): ("SimplifiedLayerNormalization", ""),
        ("layernorm", ""): ("LayerNormalization", ""),
        ("rmsnorm", "addout"): ("SkipSimplifiedLayerNormalization", "com.microsoft"),
        ("layernorm", "addout"): ("SkipLayerNormalization", "com.microsoft"),
    }

    def __init__(self):
        import onnx
        import onnxruntime

        self.onnx, self.runtime = onnx, onnxruntime
        self.name = "onnxruntime " + onnxruntime.__version__

    def model(self, cell, inputs, outputs):
        helper, fusion, eps = self.onnx.helper, cell.job["fusion"], SCALARS["eps"]
        dtype = {"f32": self.onnx.TensorProto.FLOAT, "f16": self.onnx.TensorProto.FLOAT16}[cell.dtype]
        operator, domain = self.NODES[cell.norm, fusion]
        names = ["y", "", "", "sum"] if fusion else ["y"]
        attributes = {"epsilon": eps} if fusion else {"epsilon": eps, "axis": -1}
        node = helper.make_node(operator, list(inputs), names, domain=domain, **attributes)
        values = [helper.make_tensor_value_info(n, dtype, list(a.shape)) for n, a in inputs.items()]
        results = [helper.make_tensor_value_info(n, dtype, list(a.shape)) for n, a in outputs.items()]
        versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        graph = helper.make_graph([node], "norm", values, results)
        return helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString()

    def prepare(self, cell):
        if cell.layout:
            raise ValueError("is not asked for norms of channels")
        if cell.dtype == "bf16":
            raise ValueError("does not know this dtype")

        # Rows that our kernels lay side by side are a batch of one for operators that want three dimensions.
        def shaped(array):
            return array.reshape((1,) + array.shape) if cell.job["fusion"] and array.ndim == 2 else array

        inputs = {name: shaped(array) for name, array in cell.arrays.items() if name not in cell.outputs}
        outputs = {name: shaped(array) for name, array in cell.results().items()}
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        model = self.model(cell, inputs, outputs)
        session = self.runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        for name, array in inputs.items():
            binding.bind_input(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        for name, array in outputs.items():
            binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        return (lambda: session.run_with_iobinding(binding)), cell.results


GROUPS = {"torch": Torch, "onnxruntime": OnnxRuntime}


def time_calls(run, calls):
    start = time.perf_counter_ns()
    for _ in range(calls):
        run()
    return (time.perf_counter_ns() - start) / calls


def calls_of(run):
    """So many calls that they fill a slot."""
    ns = min(time_calls(run, 1) for _ in range(3))
    return 1 + int(SLOT / ns)


def open_rival(cell, rival, expected, tolerance):
    """The function to time, or None and the reason."""
    try:
        run, results = rival.prepare(cell)
        cell.restore()
        run()
        got = results()
        right = all(cell.is_close(name, got[name], expected[name], tolerance) for name in cell.outputs)
    except Exception as error:  # whatever a foreign library raises is its way to say no
        return None, str(error).split("\n", maxsplit=1)[0]
    return (run, None) if right else (None, "too far from the reference")


def with_large_mean(job, library):
    """A cell that tells who is accurate: of a norm that takes a mean off which it finds itself. f32 alone can hold it."""
    tells = job["dtype"] == "f32" and job["norm"] != "rmsnorm" and job["dir"] != "infer"
    return Cell(job, library, OFFSET_ROWS, LARGE_MEAN) if tells else None


def time_cell(job, library, rivals, rounds, output):
    cell, offset = Cell(job, library, job["rows"], USUAL_MEAN), with_large_mean(job, library)
    expected, expected_offset = cell.expected(), offset and offset.expected()
    output.write(f"cell\t{job['name']}\t{cell.rows}\t{cell.positions}\t\t0\t0\t0\t0\n")
    entries = [("kernel", "s0_", job["target"], cell.run_kernel)]
    for rival in rivals:
        run, reason = open_rival(cell, rival, expected, 1e-4)
        if run:
            is_inexact = offset and not open_rival(offset, rival, expected_offset, 0.02)[0]
            entries.append(("inexact" if is_inexact else "rival", rival.name, "", run))
        else:
            output.write(f"rejected\trival\t{rival.name}\t\t{reason}\n")
    calls = [calls_of(entry[3]) for entry in entries]
    samples = [[] for _ in entries]
    for turn in range(rounds):
        for i in range(len(entries)):
            at = (i + turn) % len(entries)
            entries[at][3]()
            samples[at].append(time_calls(entries[at][3], calls[at]))
    for (kind, label, target, _), values in zip(entries, samples):
        output.write("\t".join(["entry", kind, label, target, ""] + [f"{v:.4g}" for v in values]) + "\n")


def main():
    path, rounds, library, groups = sys.argv[1:5]
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rivals = [GROUPS[name]() for name in groups.split(",")]
    library = ctypes.CDLL(library)
    jobs = [json.loads(text) for text in sys.argv[5:]]
    with open(path, "w", encoding="utf-8") as output:
        for number, job in enumerate(jobs, 1):
            call = f"{job['rows']} rows" + (f" x {job['positions']} positions" if job["positions"] else "")
            print(f"bench: from Python, cell {number} of {len(jobs)}: {job['name']}, {call}", file=sys.stderr)
            time_cell(job, library, rivals, int(rounds), output)


if __name__ == "__main__":
    main()
