"""What the tests of the figures share: results to draw, and how to look at a figure as objects."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

import matplotlib.pyplot as plt

from pictures.look import Look
from pictures.results import Results
from results_fixture import write_results

RATIO, SIZE = "/cluster/workers/0/spread/ratio", "/cost/model_size"


def labels(ax):
    return [text for text in ax.get_legend_handles_labels()[1]]


def lines(ax):
    """label -> line of what is drawn with a name."""
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def texts(ax):
    return [t.get_text() for t in ax.texts if t.get_text()]


def arrows(ax):
    """Where the arrows start that say that a value is a bound."""
    return [text.xy for text in ax.texts if text.arrow_patch is not None and not text.get_text()]


def named(fig):
    """title -> panel."""
    return {ax.get_title(loc="left"): ax for ax in fig.axes}


class FigureCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.place.name)
        cls.plain = Results(write_results(folder / "plain", ("sync", "async", "local", "slow")))
        cls.five = Results(write_results(folder / "five", replicas=5, trace=False))
        cls.single = Results(write_results(folder / "single", replicas=1, trace=False, decisions=False))
        cls.sweep = Results(write_results(folder / "sweep", axes={RATIO: [1, 4, 16], SIZE: ["1MB", "10MB"]}))

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def tearDown(self):
        plt.close("all")

    def draw(self, module, results):
        return module.draw(results, Look.of(results))
