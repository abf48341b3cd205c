"""analysis/compare.py as it is called: its options, its words, its files; and the LaTeX table."""
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

import matplotlib.pyplot as plt

from pictures import latex
from pictures.results import Results
from results_fixture import write_results


class Script(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = write_results(pathlib.Path(cls.place.name) / "plain", ("sync", "async", "local", "slow"))

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def compare(self, *options):
        """(exit code, standard output, standard error, folder of the figures)"""
        out = pathlib.Path(tempfile.mkdtemp(dir=self.place.name))
        done = subprocess.run([sys.executable, ROOT / "analysis" / "compare.py", self.folder, "--out", out, *options],
                              capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr, out

    def test_three_formats_are_written_that_are_not_blank_and_what_is_left_out_is_told(self):
        code, told, _, out = self.compare("--figures", "target,sweep")
        self.assertEqual(code, 0)
        self.assertEqual(sorted(f.name for f in out.iterdir()), ["target.pdf", "target.png", "target.svg"])
        self.assertIn("left out: sweep (nothing is swept in this scenario)", told)
        self.assertIn("target.{png,svg,pdf}: Time to target and speed-up", told)
        self.assertGreater(plt.imread(out / "target.png")[..., :3].std(), 0.05)
        self.assertIn("async", (out / "target.svg").read_text())

    def test_only_the_named_algorithms_are_drawn_and_keep_their_colours(self):
        code, _, _, out = self.compare("--figures", "target", "--only", "local,async", "--format", "svg")
        self.assertEqual(code, 0)
        self.assertEqual([f.name for f in out.iterdir()], ["target.svg"])
        drawn = (out / "target.svg").read_text().lower()
        self.assertIn("#d55e00", drawn)      # async's
        self.assertIn(">async<", drawn)
        self.assertNotIn("#0072b2", drawn)   # sync's
        self.assertNotIn(">slow<", drawn)

    def test_a_figure_is_as_wide_as_the_columns_and_its_letters_as_large_as_asked_for(self):
        widths, sizes = {}, {}
        for columns, size in ((1, 8), (2, 8), (2, 11)):
            _, _, _, out = self.compare("--figures", "target", "--format", "svg", "--columns", str(columns),
                                        "--font-size", str(size))
            drawn = (out / "target.svg").read_text()
            widths[columns] = float(drawn.split('width="')[1].split("pt")[0]) / 72
            label = drawn[:drawn.index("virtual time to 80")]
            sizes[size] = float(re.findall(r"([\d.]+)px", label)[-1])
        self.assertAlmostEqual(widths[1], 3.5, delta=0.15)
        self.assertAlmostEqual(widths[2], 7.16, delta=0.15)
        self.assertEqual(sizes, {8: 8, 11: 11})

    def test_what_cannot_be_is_refused_with_what_would_be_right(self):
        for options, words in (
                (["--only", "asinc"], "compare: --only: must be among sync, async, local, slow; got 'asinc' (did you mean 'async'?)\n"),
                (["--format", "bmp"], "compare: --format: must be among png, svg, pdf; got 'bmp'\n"),
                (["--font-size", "100"], "compare: --font-size: must be between 4 and 24 points, got 100\n")):
            code, told, error, out = self.compare(*options)
            self.assertEqual((code, told, error), (2, "", words))
            self.assertEqual(list(out.iterdir()), [])

    def test_a_python_without_the_packages_is_told_which_in_one_line(self):
        for script, name in (("compare.py", "compare"), ("report.py", "motley: report")):
            # Without the site's folders no package is found.
            done = subprocess.run([sys.executable, "-B", "-S", "-E", ROOT / "analysis" / script, self.folder], capture_output=True,
                                  text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", f"{name}: {sys.executable} lacks matplotlib, numpy, pandas: install python3-matplotlib and "
                                     "python3-pandas and use /usr/bin/python3\n"))

    def test_the_summary_is_a_table_for_latex(self):
        _, told, _, out = self.compare("--figures", "sweep", "--latex", "--only", "sync,async,slow")
        self.assertIn("summary.tex: the summary as a LaTeX table", told)
        table = (out / "summary.tex").read_text().splitlines()
        table = [line for line in table if not line.startswith("%")]
        self.assertEqual(table[:4], ["\\begin{tabular}{lrrrrr}", "\\toprule",
                                      "algorithm & time to 80 \\% test accuracy (s) & reached & speed-up over sync & "
                                      "final accuracy (\\%) & utilisation (\\%) \\\\", "\\midrule"])
        self.assertEqual(table[-2:], ["\\bottomrule", "\\end{tabular}"])
        row = Results(self.folder).summary.set_index("algorithm").loc["async"]
        mean, low, high = (row[f"time_to_target_{part}_s"] for part in ("mean", "low", "high"))
        ratio = [row[c] for c in ("speedup", "speedup_low", "speedup_high")]
        self.assertEqual(table[5], f"async & {mean:.1f} [{low:.1f}, {high:.1f}] & 3/3 & "
                         f"{ratio[0]:.2f} [{ratio[1]:.2f}, {ratio[2]:.2f}] & 88.0 & 60 \\\\")
        self.assertEqual(table[6], "slow & -- & 0/3 & -- & 88.0 & 60 \\\\")


class Latex(unittest.TestCase):
    def test_whatever_a_label_holds_is_text(self):
        self.assertEqual(latex.escaped("wp_sgd 50% $x$ #1 {a} & b~c^d \\e <f>"),
                         r"wp\_sgd 50\% \$x\$ \#1 \{a\} \& b\textasciitilde{}c\textasciicircum{}d \textbackslash{}e "
                         r"\textless{}f\textgreater{}")

    def test_speed_ups_are_marked_by_verdict_and_bound(self):
        row = {"algorithm": "a", "baseline": "b", "replicas": 3, "speedup": 1.13, "speedup_low": 1.03, "speedup_high": 1.24,
               "speedup_bound": None, "verdict": "undecided"}
        self.assertEqual(latex.speedup_cell(row), r"$\sim$1.13 [1.03, 1.24]")
        self.assertEqual(latex.speedup_cell({**row, "verdict": "faster"}), "1.13 [1.03, 1.24]")
        self.assertEqual(latex.speedup_cell({**row, "verdict": "faster", "speedup_bound": "at_least"}), "$>$ 1.03")
        self.assertEqual(latex.speedup_cell({**row, "speedup_bound": "at_most"}), r"$\sim$$<$ 1.24")
        pair = {**row, "verdict": "faster", "speedup_bound": "at_least", "speedup_low": None, "speedup_high": None}
        self.assertEqual(latex.speedup_cell(pair), "$>$ 1.13")  # one pair has no interval
        for low in (0.0099, 101):
            self.assertEqual(latex.speedup_cell({**row, "speedup_bound": "at_least", "speedup_low": low}), r"$\sim$no bound")
        self.assertEqual(latex.speedup_cell({**row, "verdict": "faster", "speedup_bound": "at_most", "speedup_high": 100}), "$<$ 100.00")
        self.assertEqual(latex.speedup_cell({**row, "speedup_bound": "mixed"}), r"$\sim$1.13 [1.03, 1.24] (cut)")
        self.assertEqual(latex.speedup_cell({**row, "replicas": 1, "speedup_low": None}), "1.13")
        self.assertEqual(latex.speedup_cell({**row, "speedup": None}), "--")
        self.assertEqual(latex.speedup_cell({**row, "algorithm": "b", "speedup": 1.0}), "1")

    def test_a_time_that_not_every_run_reached_is_a_bound_without_an_interval(self):
        row = {"n": 3, "reached": 3, "time_to_target_mean_s": 12.34, "time_to_target_low_s": 11.1, "time_to_target_high_s": 14}
        self.assertEqual(latex.time_cell(row), "12.3 [11.1, 14.0]")
        self.assertEqual(latex.time_cell({**row, "time_to_target_high_s": math.nan}), "12.3 [11.1, open]")
        self.assertEqual(latex.time_cell({**row, "reached": 2, "time_to_target_high_s": math.nan}), "$>$ 12.3")
        self.assertEqual(latex.time_cell({**row, "reached": 2}), "$>$ 12.3")
        self.assertEqual(latex.time_cell({**row, "reached": 0, "time_to_target_mean_s": None}), "--")

    def test_who_was_tuned_to_the_edge_has_a_dagger(self):
        with tempfile.TemporaryDirectory() as place:
            results = Results(write_results(pathlib.Path(place) / "edge", ("sync", "async"), trace=False))
            results.summary["tuned_at_edge"] = [0, 1]
            table = latex.table(results)
        self.assertIn("\nasync$^\\dagger$ & ", table)
        self.assertIn("\nsync & ", table)
        self.assertIn("% †: tuned to the edge of its grid", table)

    def test_numbers_have_three_digits(self):
        self.assertEqual([latex.number(v) for v in (56, 0.5, 99.96, 1234.5, 9.999)], ["56.0", "0.500", "100", "1234", "10.0"])


if __name__ == "__main__":
    unittest.main()
