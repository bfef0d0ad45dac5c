"""Times PyTorch and ONNX Runtime in turn with our kernels, called through ctypes, on the same buffers.

    python3 bench/python_rivals.py RESULTS ROUNDS LIBRARY GROUP[,GROUP] CELL...

A cell is NAME:SYMBOL:TARGET:NORM:FUSION:DTYPE:H:ROWS. RESULTS gets lines as bench/bench.c writes them, with our kernel as
an entry of each cell. One thread, pinned to the last CPU that the process may use. A rival's y and sum are compared with
our kernel's, which bench.c has compared with the reference.
"""

import ctypes
import os
import sys
import time

import numpy

EPS = 1e-5
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

    def __init__(self, text, library):
        self.name, symbol, self.target, self.norm, self.fusion, self.dtype, h, rows = text.split(":")
        self.h, self.rows = int(h), int(rows)
        random = numpy.random.RandomState(1)
        shape = (self.rows, self.h)
        few = (min(self.rows, PERIOD), self.h)
        self.x = self.filled(shape, random.uniform(-0.75, 1.25, few))
        self.residual = self.filled(shape, random.uniform(-1, 1, few)) if self.fusion else None
        self.gamma = self.filled((self.h,), random.uniform(0.5, 1.5, self.h))
        self.beta = self.filled((self.h,), random.uniform(-0.5, 0.5, self.h)) if self.norm == "layernorm" else None
        self.y = self.filled(shape, numpy.zeros((1, self.h)))
        self.sum = self.filled(shape, numpy.zeros((1, self.h))) if self.fusion else None
        self.kernel = getattr(library, symbol)
        inputs = [a for a in (self.x, self.residual, self.gamma, self.beta) if a is not None]
        outputs = [a for a in (self.y, self.sum) if a is not None]
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in inputs]
        self.arguments = [ctypes.c_size_t(self.rows)] + pointers + [ctypes.c_float(EPS)]
        self.arguments += [ctypes.c_void_p(a.ctypes.data) for a in outputs]

    def filled(self, shape, values):
        array = empty(shape, self.dtype)
        values = narrow(values, self.dtype)
        if len(shape) == 1:
            array[:] = values
        else:
            array[:] = numpy.resize(values, shape)
        return array

    def run_kernel(self):
        self.kernel(*self.arguments)


def is_close(cell, values, expected):
    ulp = 2.0 ** (1 - PRECISION[cell.dtype])
    values, expected = widen(values, cell.dtype), widen(expected, cell.dtype)
    return bool(numpy.all(numpy.abs(values - expected) <= 1e-4 + 2 * ulp * (1 + numpy.abs(expected))))


class Torch:
    """torch.nn.functional's norms in inference mode, behind torch.add where there is a residual."""

    def __init__(self):
        import torch

        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        self.torch = torch
        self.name = "torch " + torch.__version__.split("+")[0]

    def tensor(self, cell, array):
        tensor = self.torch.from_numpy(array.view(numpy.int16) if cell.dtype == "bf16" else array)
        return tensor.view(self.torch.bfloat16) if cell.dtype == "bf16" else tensor

    def array(self, cell, tensor):
        if cell.dtype == "bf16":
            return tensor.view(self.torch.int16).numpy().view(numpy.uint16)
        return tensor.numpy()

    def prepare(self, cell):
        """A function that runs the cell once, and one that returns y and sum of its last run."""
        functional = self.torch.nn.functional
        x, gamma = self.tensor(cell, cell.x), self.tensor(cell, cell.gamma)
        beta = None if cell.beta is None else self.tensor(cell, cell.beta)
        shape, last = (cell.h,), {}
        residual, total = (None if a is None else self.tensor(cell, a) for a in (cell.residual, cell.sum))

        def norm(rows):
            if cell.norm == "layernorm":
                return functional.layer_norm(rows, shape, gamma, beta, EPS)
            return functional.rms_norm(rows, shape, gamma, EPS)

        def run():
            if residual is None:
                last["y"] = norm(x)
            else:
                self.torch.add(x, residual, out=total)
                last["y"] = norm(total)

        return run, lambda: (self.array(cell, last["y"]), cell.sum)


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
        helper = self.onnx.helper
        dtype = {"f32": self.onnx.TensorProto.FLOAT, "f16": self.onnx.TensorProto.FLOAT16}[cell.dtype]
        operator, domain = self.NODES[cell.norm, cell.fusion]
        names = ["y", "", "", "sum"] if cell.fusion else ["y"]
        attributes = {"epsilon": EPS} if cell.fusion else {"epsilon": EPS, "axis": -1}
        node = helper.make_node(operator, list(inputs), names, domain=domain, **attributes)
        values = [helper.make_tensor_value_info(n, dtype, list(a.shape)) for n, a in inputs.items()]
        results = [helper.make_tensor_value_info(n, dtype, list(a.shape)) for n, a in outputs.items()]
        versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        graph = helper.make_graph([node], "norm", values, results)
        return helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString()

    def prepare(self, cell):
        if cell.dtype == "bf16":
            return None
        arrays = {"x": cell.x, "residual": cell.residual, "gamma": cell.gamma, "beta": cell.beta}
        inputs = {n: a for n, a in arrays.items() if a is not None}
        # Rows that our kernels lay side by side are a batch of one for operators that want three dimensions.
        shaped = {n: a.reshape((1,) + a.shape) if cell.fusion and a.ndim == 2 else a for n, a in inputs.items()}
        outputs = {n: a for n, a in {"y": cell.y, "sum": cell.sum}.items() if a is not None}
        outputs = {n: a.reshape((1,) + a.shape) if cell.fusion else a for n, a in outputs.items()}
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        model = self.model(cell, shaped, outputs)
        session = self.runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        for name, array in shaped.items():
            binding.bind_input(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        for name, array in outputs.items():
            binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        return (lambda: session.run_with_iobinding(binding)), lambda: (cell.y, cell.sum)


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


def open_rival(cell, rival, expected):
    """The function to time, or None and the reason."""
    try:
        prepared = rival.prepare(cell)
        if prepared is None:
            return None, "does not know this dtype"
        run, outputs = prepared
        cell.y.view(numpy.uint8)[:] = 0xFF
        if cell.sum is not None:
            cell.sum.view(numpy.uint8)[:] = 0xFF
        run()
        pairs = zip(outputs(), expected)
        right = all(wanted is None or is_close(cell, got, wanted) for got, wanted in pairs)
    except Exception as error:  # whatever a foreign library raises is its way to say no
        return None, str(error).split("\n", maxsplit=1)[0]
    return (run, None) if right else (None, "too far from the reference")


def time_cell(cell, rivals, rounds, results):
    cell.run_kernel()
    expected = [None if a is None else a.copy() for a in (cell.y, cell.sum)]
    results.write(f"cell\t{cell.name}\t{cell.rows}\t\t0\t0\t0\n")
    entries = [("kernel", "s0_", cell.target, cell.run_kernel)]
    for rival in rivals:
        run, reason = open_rival(cell, rival, expected)
        if run:
            entries.append(("rival", rival.name, "", run))
        else:
            results.write(f"rejected\trival\t{rival.name}\t\t{reason}\n")
    calls = [calls_of(entry[3]) for entry in entries]
    samples = [[] for _ in entries]
    for turn in range(rounds):
        for i in range(len(entries)):
            at = (i + turn) % len(entries)
            entries[at][3]()
            samples[at].append(time_calls(entries[at][3], calls[at]))
    for (kind, label, target, _), values in zip(entries, samples):
        results.write("\t".join(["entry", kind, label, target, ""] + [f"{v:.4g}" for v in values]) + "\n")


def main():
    path, rounds, library, groups = sys.argv[1:5]
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rivals = [GROUPS[name]() for name in groups.split(",")]
    library = ctypes.CDLL(library)
    cells = sys.argv[5:]
    with open(path, "w", encoding="utf-8") as results:
        for number, text in enumerate(cells, 1):
            cell = Cell(text, library)
            print(f"bench: from Python, cell {number} of {len(cells)}: {cell.name}, {cell.rows} rows", file=sys.stderr)
            time_cell(cell, rivals, int(rounds), results)


if __name__ == "__main__":
    main()
