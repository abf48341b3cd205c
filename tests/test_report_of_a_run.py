"""The report of what motley really writes."""
import html
import json
import os
import pathlib
import subprocess
import tempfile
import unittest


class OfTheProgram(unittest.TestCase):
    """What motley really writes is what analysis/ reads."""

    def test_a_run_with_report_leaves_figures_and_a_page_that_answers(self):
        scenario = {
            "name": "small", "data": {"kind": "synthetic", "train": 400, "test": 200, "features": 8, "classes": 3},
            "model": {"kind": "softmax"},
            "cluster": {"workers": [{"name": "fast", "count": 2, "speed": "4Gf"}, {"name": "slow", "count": 2, "speed": "1Gf"}],
                        "server": {"speed": "1Tf"}, "link": {"bandwidth": "1Gbps", "latency": "1ms"}},
            "cost": {"flops_per_sample": "10Mf", "model_size": "1MB"}, "target": {"accuracy": 0.6}, "stop": {"updates": 60},
            "evaluate": {"every": 1}, "defaults": {"batch_size": 8, "step_size": 0.1},
            "algorithms": [{"name": "sync"}, {"name": "async"}]}
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "small.json").write_text(json.dumps(scenario))
            told = subprocess.run([os.environ["MOTLEY_BINARY"], "run", "small.json", "--out", "out", "--trace", "--report"],
                                  cwd=folder, capture_output=True, text=True)
            self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
            self.assertIn("Report: out/report.html", told.stdout)
            self.assertNotIn("missing:", told.stdout)
            self.assertIn("left out: sweep (nothing is swept in this scenario)", told.stdout)
            for name in ("accuracy", "efficiency", "target", "staleness", "gantt", "time_budget", "contribution", "links"):
                for kind in ("png", "svg", "pdf"):
                    self.assertTrue((folder / "out" / "figures" / f"{name}.{kind}").is_file(), name)
            page = (folder / "out" / "report.html").read_text()
            decides = told.stdout[told.stdout.index("\nWhat decides"):].split("\n\n")[0].splitlines()[2:]
            self.assertTrue(decides)
            for line in decides:
                label, words_of_it = line.strip().split(": ", 1)
                self.assertTrue(f"<b>{label}</b>: {html.escape(words_of_it)}</li>" in page, line)
            self.assertRegex(page, r"<p>a?sync reaches 60 % test accuracy in [0-9.]+ s")
            self.assertIn("4 workers: 2 fast (4 Gf/s each) and 2 slow (1 Gf/s each)", page)

    def test_report_names_what_it_does_not_find(self):
        told = subprocess.run([os.environ["MOTLEY_BINARY"], "report", "nowhere"], capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stderr), (2, "motley: report: no such folder: nowhere\n"))
        with tempfile.TemporaryDirectory() as empty:
            told = subprocess.run([os.environ["MOTLEY_BINARY"], "report", empty], capture_output=True, text=True)
            self.assertEqual((told.returncode, told.stderr),
                             (2, f"motley: report: {empty}: holds no results (runs.csv is not there)\n"))
            self.assertEqual(os.listdir(empty), [])


if __name__ == "__main__":
    unittest.main()
