"""What the tests of the report share. Imported first: it makes analysis/ importable."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

from pictures import report
from pictures.results import Results

RATIO = "/cluster/workers/0/spread/ratio"
ALGORITHMS = ("sync", "async", "local", "slow")


def page_of(folder, library=""):
    """The page without pictures, which test_figures looks at."""
    return report.page(Results(folder), [], [], folder / "figures", library)


class FolderCase(unittest.TestCase):
    """With an empty folder."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.addCleanup(self.place.cleanup)
