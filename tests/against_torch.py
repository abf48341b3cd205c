#!/usr/bin/env python3
"""How long a gradient takes in PyTorch, beside Motley's.

  tests/against_torch.py [PROGRAM] [ROUNDS]     build/motley and 5 rounds unless told otherwise

Needs python3-torch, which Debian installs for /usr/bin/python3; no test runs it. Prints, for mlp (784-128-10), cnn
(1x28x28, conv 16 and 32 of 5x5 with pool 2, dense 128) and resnet20 (3x32x32, group normalisation), all with a batch of
32 and one thread, the milliseconds of a gradient in both and how many times as long PyTorch takes. Rounds are
interleaved: PROGRAM and PyTorch in turn.

The dense layers of Debian's PyTorch are whatever libblas.so.3 is: with the reference BLAS they take many times as long
as with libopenblas0, and the comparison says little. So the rate of a large product in PyTorch is printed, too.
"""
import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys
import time

if importlib.util.find_spec("torch") is None:
    sys.exit(f"against_torch.py: {sys.executable} lacks torch: install python3-torch (and libopenblas0) and use "
             "/usr/bin/python3")
import torch
from torch import nn
from torch.nn import functional

BATCH = 32


class Residual(nn.Module):
    """Two normalised convolutions; the shortcut takes every second pixel and channels of zeros."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.first_norm = nn.GroupNorm(8, outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.second_norm = nn.GroupNorm(8, outputs)
        self.stride = stride
        self.more = outputs - inputs

    def forward(self, x):
        y = functional.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        if self.stride > 1 or self.more:
            x = functional.pad(x[:, :, ::self.stride, ::self.stride], (0, 0, 0, 0, 0, self.more))
        return functional.relu(x + y)


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))


def cnn():
    return nn.Sequential(nn.Conv2d(1, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(32 * 49, 128), nn.ReLU(), nn.Linear(128, 10))


def resnet20():
    layers = [nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.GroupNorm(8, 16), nn.ReLU()]
    width = 16
    for stage in range(3):
        for block in range(3):
            stride = 2 if stage and not block else 1
            layers.append(Residual(width, 16 << stage, stride))
            width = 16 << stage
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


MODELS = {"mlp": (mlp, (1, 28, 28), 200), "cnn": (cnn, (1, 28, 28), 30), "resnet20": (resnet20, (3, 32, 32), 5)}


def torch_ms(name):
    """The best of some gradients, in CPU time."""
    make, shape, calls = MODELS[name]
    model = make()
    images = torch.randn(BATCH, *shape)
    labels = torch.randint(0, 10, (BATCH,))
    best = float("inf")
    for _ in range(calls):
        model.zero_grad(set_to_none=False)
        start = time.thread_time()
        functional.cross_entropy(model(images), labels).backward()
        best = min(best, time.thread_time() - start)
    return 1e3 * best


def product_gflops():
    """The best rate of a 768^3 product, as motley bench measures oneDNN's."""
    a, b = torch.randn(768, 768), torch.randn(768, 768)
    best = float("inf")
    for _ in range(20):
        start = time.thread_time()
        torch.mm(a, b)
        best = min(best, time.thread_time() - start)
    return 2 * 768**3 / best / 1e9


def motley_ms(program):
    """By model, from the bench's own figures."""
    output = subprocess.run([program, "bench", "--kernels", "--json"], check=True, capture_output=True, text=True)
    figures = {figure["name"]: figure["value"] for figure in json.loads(output.stdout)["figures"]}
    return {name: figures[f"gradient_ms_{name}"] for name in MODELS}


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(pathlib.Path(__file__).parent.parent / "build" / "motley")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    torch.set_num_threads(1)
    times = {name: ([], []) for name in MODELS}
    for _ in range(rounds):
        own = motley_ms(program)
        for name in MODELS:
            times[name][0].append(own[name])
            times[name][1].append(torch_ms(name))
    print(f"PyTorch {torch.__version__}, one thread, batch {BATCH}, medians of {rounds} rounds; a 768^3 product in "
          f"PyTorch: {product_gflops():.0f} GFLOP/s")
    for name, (own, other) in times.items():
        ratio = statistics.median(o / m for m, o in zip(own, other))
        print(f"  {name:9} motley {statistics.median(own):8.2f} ms   torch {statistics.median(other):8.2f} ms   "
              f"torch / motley {ratio:.2f}")


if __name__ == "__main__":
    main()
