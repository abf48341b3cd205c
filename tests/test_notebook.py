"""The notebook in docs/ runs from its first cell to its last, as in a kernel: the value of a cell's last expression is shown."""
import ast
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))
os.environ["MPLBACKEND"] = "agg"
NOTEBOOK = ROOT / "docs/python.ipynb"


def code_cells():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def run_cell(source, names):
    """What the cell prints, and the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, str(NOTEBOOK), "exec"), names)
        value = eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names) if last else None
    return printed.getvalue(), value


class Notebook(unittest.TestCase):
    def test_every_cell_runs_and_shows_what_it_says(self):
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            names, values, printed = {"__name__": "__main__"}, [], []
            for cell in code_cells():
                said, value = run_cell(cell, names)
                printed.append(said)
                values.append(value)
            os.chdir("/")
        shown = [type(value).__name__ for value in values if value is not None]
        self.assertEqual(shown, ["str", "str", "Results", "DataFrame", "DataFrame", "Figure", "DataFrame", "Figure"])
        self.assertIn("/stop/tiem |", "".join(printed))
        self.assertIn("\\end{tabular}", printed[-1])
        table = next(value for value in reversed(values) if type(value).__name__ == "DataFrame")
        self.assertEqual(list(table.index), [3e8 / 8, 1e9 / 8, 3e9 / 8])


if __name__ == "__main__":
    unittest.main()
