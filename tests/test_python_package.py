"""The Python package: what it runs, reads, draws and refuses. The program is MOTLEY_BINARY."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

import pandas as pd

import motley
from motley import progress
from results_fixture import write_results

RATIO, SIZE = "/cluster/workers/0/spread/ratio", "/cost/model_size"

SMALL = {
    "name": "small",
    "data": {"kind": "synthetic", "train": 400, "test": 100, "features": 5, "classes": 3},
    "model": {"kind": "softmax"},
    "cluster": {"workers": [{"name": "node", "count": 2, "speed": "1Gf"}], "server": {"speed": "10Gf"},
                "link": {"bandwidth": "1Gbps", "latency": "50us"}},
    "target": {"accuracy": 0.5},
    "stop": {"updates": 60},
    "evaluate": {"every": 5},
    "defaults": {"batch_size": 8, "step_size": 0.1},
    "algorithms": [{"name": "sync"}, {"name": "async"}],
    "replicas": 2,
}


class InAFolder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(place.name)
        self.folder = pathlib.Path(place.name)


class Running(InAFolder):
    def test_a_dictionary_is_run_and_its_results_are_tables(self):
        results = motley.run(SMALL, jobs=2, progress=False)
        self.assertEqual(len(results.runs), 4)
        self.assertEqual(results.algorithms, ["sync", "async"])
        self.assertTrue((results.runs["updates"] == 60).all())
        self.assertEqual(results.scenario["name"], "small")
        self.assertEqual(results.folder, pathlib.Path("results/small"))

    def test_the_file_of_a_dictionary_does_not_stay(self):
        motley.run(SMALL, progress=False, whatif=False)
        self.assertEqual([file.name for file in self.folder.iterdir()], ["results"])

    def test_values_are_set_by_their_pointers(self):
        results = motley.run(SMALL, set={"/stop/updates": 20, "/name": "other", "/target": None}, whatif=False, progress=False)
        self.assertTrue((results.runs["updates"] == 20).all())
        self.assertEqual(results.folder.name, "other")
        self.assertIsNone(results.target)

    def test_a_mistake_is_an_exception_with_its_place(self):
        with self.assertRaises(motley.InputError) as raised:
            motley.run({**SMALL, "algorithms": [{"name": "synk"}]}, progress=False)
        self.assertEqual(raised.exception.pointer, "/algorithms/0/name")
        self.assertIsNone(raised.exception.file)
        self.assertIn("did you mean 'sync'?", str(raised.exception))
        self.assertTrue(str(raised.exception).startswith("scenario: /algorithms/0/name: "))
        self.assertFalse(pathlib.Path("results").exists())

    def test_a_mistake_in_a_file_names_the_file(self):
        file = self.folder / "mine.json"
        file.write_text(json.dumps({**SMALL, "stop": {"update": 60}}))
        with self.assertRaises(motley.InputError) as raised:
            motley.validate(file)
        self.assertEqual((raised.exception.file, raised.exception.pointer), (str(file), "/stop/update"))

    def test_validate_fills_in_the_defaults(self):
        known = motley.validate(SMALL)
        self.assertEqual(known["runs"], 4)
        self.assertEqual(known["scenario"]["network"], "fluid")

    def test_what_must_hold_and_does_not_is_an_exception_that_has_the_results(self):
        with self.assertRaises(motley.RunFailed) as raised, contextlib.redirect_stderr(io.StringIO()):
            motley.run(SMALL, fail_unless=["async.updates == 61"], whatif=False, progress=False)
        self.assertIn("async.updates == 61", str(raised.exception))
        self.assertEqual(len(raised.exception.results.runs), 4)

    def test_a_sweep_has_a_numeric_column_with_its_unit(self):
        results = motley.sweep(SMALL, {"/cluster/link/bandwidth": ["1Gbps", "2Gbps"]}, replicas=1, whatif=False, progress=False)
        self.assertEqual(results.axes, {"link_bandwidth_bytes_per_s": "/cluster/link/bandwidth"})
        # 1 Gbps is 1e9 bits per second, of which 8 make a byte.
        self.assertEqual(sorted(set(results.runs["link_bandwidth_bytes_per_s"])), [1.25e8, 2.5e8])
        self.assertIn("link_bandwidth_bytes_per_s", results.summary)

    def test_progress_comes_to_an_end(self):
        seen = []
        motley.run(SMALL, progress=seen.append, whatif=False)
        self.assertEqual((seen[-1].done, seen[-1].total), (4, 4))
        self.assertEqual([p.done for p in seen], sorted(p.done for p in seen))

    def test_what_decides_has_progress_of_its_own_after_the_runs(self):
        seen = []
        motley.run(SMALL, progress=seen.append)
        phases = [p.phase for p in seen]
        self.assertEqual(phases, ["runs"] * phases.count("runs") + ["timing"] * phases.count("timing"))
        timing = [p for p in seen if p.phase == "timing"]
        self.assertEqual((timing[0].done, timing[0].share, timing[-1].share), (0, 0, 1))
        self.assertRegex(str(timing[0]), r"^0 of \d+ timings on changed clusters$")

    def test_why_one_is_faster_is_told_in_words(self):
        results = motley.run(SMALL, progress=False, whatif=False)
        self.assertIn("reaches the target", results.explain("async", "sync"))

    def test_results_differ_from_others_where_the_scenario_does(self):
        a = motley.run(SMALL, progress=False, whatif=False)
        b = motley.run(SMALL, set={"/name": "b", "/defaults/step_size": 0.2}, progress=False, whatif=False)
        changed = {change["pointer"]: (change["a"], change["b"]) for change in a.diff(b)["scenario"]}
        self.assertEqual(changed["/algorithms/0/step_size"], (0.1, 0.2))
        self.assertTrue(a.diff(a)["same_results"])

    def test_a_report_is_written(self):
        page = motley.run(SMALL, progress=False).report(self.folder / "page.html")
        self.assertIn("<!DOCTYPE html>", page.read_text())


class Known(unittest.TestCase):
    def test_algorithms_are_a_table_by_name(self):
        table = motley.algorithms()
        self.assertIn("async", table.index)
        self.assertEqual(table.loc["sync", "family"], "synchronous")
        self.assertIn("batch_size", [parameter["name"] for parameter in table.loc["sync", "parameters"]])

    def test_one_algorithm_can_be_asked_for(self):
        self.assertEqual(list(motley.algorithms("async").index), ["async"])
        with self.assertRaises(motley.InputError):
            motley.algorithms("no such algorithm")

    def test_the_schema_knows_every_algorithm(self):
        self.assertIn("async", motley.schema()["definitions"])

    def test_columns_are_those_that_the_figures_know(self):
        known = json.loads((ROOT / "analysis/pictures/columns.json").read_text())
        self.assertEqual(motley.columns(), known)

    def test_without_a_program_it_says_what_to_do(self):
        with unittest.mock.patch.dict(os.environ, {"MOTLEY_BINARY": "/nowhere/motley"}):
            with self.assertRaisesRegex(motley.ProgramNotFound, "/nowhere/motley is no file"):
                motley.version()


class Loading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.place.name)
        cls.plain = motley.load(write_results(folder / "plain", ("sync", "async", "slow")))
        cls.sweep = motley.load(write_results(folder / "sweep", axes={RATIO: [1, 4, 16], SIZE: ["1MB", "10MB"]}))

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_columns_have_proper_types(self):
        runs = self.plain.runs
        self.assertEqual(str(runs["replica"].dtype), "Int64")
        self.assertEqual(str(runs["updates"].dtype), "Int64")
        self.assertEqual(runs["virtual_s"].dtype, float)
        self.assertIsInstance(runs["algorithm"].dtype, pd.CategoricalDtype)
        self.assertEqual(list(runs["algorithm"].cat.categories), ["sync", "async", "slow"])

    def test_every_described_column_is_there_and_no_other(self):
        known = json.loads((ROOT / "analysis/pictures/columns.json").read_text())
        for name, table in known.items():
            if name in ("compare", "timings"):  # not of a results folder: by compare and calibrate
                continue
            described = {column["name"] for column in table["columns"]}
            self.assertEqual(set(getattr(self.plain, name).columns) - described, set(), name)

    def test_axes_are_numbers_in_si_units(self):
        self.assertEqual(self.sweep.axes, {"spread_ratio": RATIO, "cost_model_size_bytes": SIZE})
        self.assertEqual(sorted(set(self.sweep.summary["cost_model_size_bytes"])), [1e6, 1e7])
        self.assertEqual(sorted(set(self.sweep.summary["spread_ratio"])), [1, 4, 16])

    def test_a_figure_is_as_wide_as_a_column(self):
        wide, narrow = self.plain.figure("target"), self.plain.figure("target", columns=1)
        self.assertAlmostEqual(wide.get_size_inches()[0], 7.16, places=2)
        self.assertAlmostEqual(narrow.get_size_inches()[0], 3.5, places=2)

    def test_a_figure_of_some_algorithms_leaves_the_results_alone(self):
        figure = self.plain.figure("accuracy", only=["async"])
        names = {text for ax in figure.axes for text in ax.get_legend_handles_labels()[1]}
        self.assertNotIn("sync", names)
        self.assertEqual(self.plain.algorithms, ["sync", "async", "slow"])
        self.assertIn("sync", set(self.plain.runs["algorithm"]))

    def test_what_cannot_be_drawn_says_why(self):
        with self.assertRaisesRegex(motley.InputError, "there is no figure 'pie'"):
            self.plain.figure("pie")
        with self.assertRaisesRegex(motley.InputError, "figure sweep: "):
            self.plain.figure("sweep")
        with self.assertRaisesRegex(motley.InputError, "no algorithm 'sink'"):
            self.plain.figure("target", only=["sink"])

    def test_the_table_for_latex_has_a_row_per_algorithm(self):
        table = self.plain.latex()
        self.assertIn("\\begin{tabular}", table)
        for name in self.plain.algorithms:
            self.assertIn(f"\n{name}", table)

    def test_a_notebook_shows_the_answer_and_the_table(self):
        page = self.plain._repr_html_()
        self.assertIn("<table>", page)
        self.assertIn("async", page)
        self.assertIn("see .summary", self.sweep._repr_html_())  # six points are more than are shown

    def test_a_folder_without_results_is_refused(self):
        with tempfile.TemporaryDirectory() as empty:
            with self.assertRaisesRegex(motley.InputError, "holds no results"):
                motley.load(empty)


class Progresses(unittest.TestCase):
    def test_a_share_counts_what_is_under_way(self):
        event = {"done": 1, "total": 4, "failed": 0, "seconds_left": 90, "running": [{"run": "a-0", "share": 0.5}]}
        at = progress.Progress.of(event)
        self.assertEqual(at.share, (1 + 0.5) / 4)
        self.assertEqual(str(at), "1 of 4 runs, 2 min left")

    def test_a_notebook_has_a_bar_that_is_updated_in_place(self):
        shown = []
        handle = types.SimpleNamespace(update=shown.append)
        kernel = type("ZMQInteractiveShell", (), {})()
        display = types.ModuleType("IPython.display")
        display.HTML, display.display = str, lambda page, display_id: handle
        python = types.ModuleType("IPython")
        python.get_ipython, python.display = (lambda: kernel), display
        with unittest.mock.patch.dict(sys.modules, {"IPython": python, "IPython.display": display}):
            bar = progress.display_for(True)
            bar.show(progress.Progress(1, 2))
        self.assertIsInstance(bar, progress.NotebookBar)
        self.assertIn('value="0.5000"', shown[0])
        self.assertIn("1 of 2 runs", shown[0])

    def test_where_nobody_looks_nothing_is_drawn(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            display = progress.display_for(True)
            display.show(progress.Progress(1, 2))
        self.assertEqual(said.getvalue(), "")


class Installed(unittest.TestCase):
    """As pip makes it, without a network."""

    def test_the_wheel_works_by_itself(self):
        with tempfile.TemporaryDirectory() as place:
            code = "import build_wheel, sys; print(build_wheel.build_wheel(sys.argv[1]))"
            name = subprocess.run([sys.executable, "-B", "-c", code, place], cwd=ROOT / "analysis", check=True,
                                  capture_output=True, text=True).stdout.strip()
            with zipfile.ZipFile(pathlib.Path(place) / name) as wheel:
                wheel.extractall(pathlib.Path(place) / "site")
            results = write_results(pathlib.Path(place) / "results")
            code = ("import motley, sys; r = motley.load(sys.argv[1]); r.figure('target'); print(motley.__file__); "
                    "print(len(r.latex()) > 0, motley.version())")
            site = str(pathlib.Path(place) / "site")
            done = subprocess.run([sys.executable, "-B", "-c", code, str(results)], cwd=place, capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": site, "MPLBACKEND": "agg"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(site, done.stdout)
            self.assertIn("True motley ", done.stdout)


if __name__ == "__main__":
    unittest.main()
