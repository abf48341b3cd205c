"""The report of results that are failed, missing, damaged or oddly named."""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import unittest

from report_case import ALGORITHMS, RATIO, ROOT, FolderCase, page_of
from pictures import report, words
from pictures.results import COLUMNS, DESCRIBED, TEXT, NoData, Results
from results_fixture import write_results


class Damaged(FolderCase):
    def test_failed_and_diverged_runs_are_named_with_their_reason(self):
        results = Results(write_results(self.folder, statuses={"sync-0": "failed", "local-1": "diverged"}))
        lines = words.how_sure(results)
        self.assertIn("sync-0 failed: the loss grew without bound", lines)
        self.assertIn("local-1 diverged: the loss grew without bound", lines)
        self.assertIn("local-1 diverged", page_of(self.folder))

    def test_algorithms_whose_runs_all_failed_did_not_just_miss_the_target(self):
        results = Results(write_results(self.folder, ALGORITHMS))
        summary = results.summary.set_index("algorithm")
        summary.loc["sync", ["time_to_target_mean_s", "failed"]] = [None, 3]
        summary.loc["local", ["time_to_target_mean_s", "diverged"]] = [None, 3]
        results.summary = summary.reset_index()
        self.assertEqual(words.answer_at(results, ())[1:],
                         ["slow never reaches it.", "All runs of sync failed.", "All runs of local diverged."])

    def test_planned_runs_that_are_not_finished_are_counted_and_named(self):
        write_results(self.folder)
        plan = [{"run": f"{a}-{r}"} for a in ("sync", "async", "local", "backup") for r in range(3)]
        (self.folder / "plan.json").write_text(json.dumps({"runs": plan}))
        results = Results(self.folder)
        self.assertIn("Not finished: 3 of 12 planned runs (backup-0, backup-1 and backup-2). Run the same command again to finish them.",
                      words.how_sure(results))
        self.assertIn("Only 9 of 12 planned runs have finished.", page_of(self.folder))

    def test_an_empty_folder_is_reported_as_empty(self):
        page = page_of(self.folder)
        self.assertIn("There are no finished runs in this folder.", page)
        self.assertIn("Missing: runs.csv (not there).", page)
        self.assertIn("The question is unknown: scenario.json is missing.", page)

    def test_a_folder_before_its_first_run_has_headers_only(self):
        write_results(self.folder)
        for file in self.folder.glob("*.csv"):
            file.write_text(file.read_text().splitlines()[0] + "\n")
        self.assertIn("There are no finished runs in this folder.", page_of(self.folder))

    def test_every_file_may_be_missing(self):
        write_results(self.folder)
        for file in sorted(self.folder.iterdir()):
            copy = self.folder.parent / (self.folder.name + "_copy")
            shutil.copytree(self.folder, copy)
            (copy / file.name).unlink()
            with self.subTest(missing=file.name):
                page = page_of(copy)
                if file.name not in ("events.csv", "decisions.csv"):
                    self.assertIn(f"Missing: {file.name} (not there).", page)
            shutil.rmtree(copy)

    def test_only_failed_runs_are_reported(self):
        write_results(self.folder, ("sync",), replicas=1, statuses={"sync-0": "failed"})
        self.assertIn("sync-0 failed: the loss grew without bound", page_of(self.folder))

    def test_names_cannot_break_the_page(self):
        write_results(self.folder)
        for file in self.folder.glob("*"):
            file.write_text(file.read_text().replace("local", "</script><b>x"))
        page = page_of(self.folder)
        self.assertNotIn("<b>x", page)
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
        self.assertIn("</script><b>x", json.loads(data)["algorithms"])
        self.assertNotIn("<", data)  # "<!--<script>" would swallow the scripts after it

    def test_a_description_of_another_shape_is_no_description(self):
        write_results(self.folder)
        whole = json.loads((self.folder / "scenario.json").read_text())
        for value in (None, [], "x", 5, True, math.nan, [None], {"kind": None}):
            (self.folder / "scenario.json").write_text(json.dumps({key: value for key in whole}))
            (self.folder / "provenance.json").write_text(json.dumps({"command": value}))
            (self.folder / "plan.json").write_text(json.dumps({"runs": value}))
            with self.subTest(sections=value):
                self.assertIn("4 workers: 2 gpu", page_of(self.folder))
            for name in ("scenario.json", "provenance.json", "plan.json"):
                (self.folder / name).write_text(json.dumps(value))
            with self.subTest(whole=value):
                page = page_of(self.folder)
                if not isinstance(value, dict):
                    for name in ("scenario.json", "provenance.json", "plan.json"):
                        self.assertIn(f"Missing: {name} (not a JSON object).", page)

    def test_a_description_nested_too_deep_to_read_is_missing(self):
        write_results(self.folder)
        (self.folder / "scenario.json").write_text("[" * 100_000)
        self.assertIn("Missing: scenario.json (cannot be read).", page_of(self.folder))

    def test_numbers_that_are_none_leave_gaps_and_missing_columns_are_named(self):
        for value in ("inf", "nan", "-1", "0", "x", "", "1e308"):
            write_results(self.folder, replicas=1)
            for file in sorted(self.folder.glob("*.csv")):
                header, *rows = [line.split(",") for line in file.read_text().splitlines()]
                damaged = [header] + [[cell if column in TEXT else value for column, cell in zip(header, row)] for row in rows]
                file.write_text("\n".join(map(",".join, damaged)) + "\n")
            with self.subTest(value=value):
                self.assertIn("4 workers: 2 gpu", page_of(self.folder))
        write_results(self.folder, replicas=1)
        for file in sorted(self.folder.glob("*.csv")):
            lines = file.read_text().splitlines()
            file.write_text("\n".join(line.rsplit(",", 2)[0] for line in lines) + "\n")
        page = page_of(self.folder)
        self.assertIn("Missing: staleness.csv (no columns staleness, count).", page)
        self.assertIn("Missing: summary.csv (no columns final_loss_low, final_loss_high).", page)

    def test_axes_that_end_alike_are_named_in_full(self):
        first, second = "/algorithms/0/step_size", "/algorithms/1/step_size"
        results = Results(write_results(self.folder, ("sync",), replicas=1, axes={first: [1], second: [2], RATIO: [4]}))
        self.assertEqual(results.point_title((1, 2, 4)), f"{first} = 1, {second} = 2, spread ratio = 4")

    def test_values_of_a_sweep_that_differ_late_are_different_points(self):
        results = Results(write_results(self.folder, ("sync",), replicas=1, axes={RATIO: [1.0000001, 1.0000002, 2]}))
        self.assertEqual(report.page_data(results)["points"],
                         ["spread ratio = 1.0000001", "spread ratio = 1.0000002", "spread ratio = 2"])

    def test_nothing_in_the_page_is_fetched(self):
        page = page_of(write_results(self.folder), report.library() or "")
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:)[^"]*"', page), [])


class Script(FolderCase):
    """analysis/report.py as it is called."""

    def report(self, *arguments):
        told = subprocess.run([sys.executable, "-B", ROOT / "analysis" / "report.py", *arguments], capture_output=True, text=True,
                              errors="surrogateescape")
        self.assertNotIn("Traceback", told.stderr)
        return told.returncode, told.stderr

    def test_a_folder_without_results_is_refused_and_left_alone(self):
        self.assertEqual(self.report(self.folder),
                         (2, f"motley: report: {self.folder}: holds no results (runs.csv is not there)\n"))
        self.assertEqual(list(self.folder.iterdir()), [])
        (self.folder / "runs.csv").write_text("date,distance\n2020-01-01,12\n")  # somebody else's
        self.assertEqual(self.report(self.folder), (2, f"motley: report: {self.folder}: holds no results (runs.csv has no column "
                                                       "run or algorithm)\n"))
        self.assertEqual([f.name for f in self.folder.iterdir()], ["runs.csv"])

    def test_a_place_that_cannot_be_written_is_named(self):
        results = write_results(self.folder / "results", ("sync",), replicas=1)
        file = self.folder / "file"
        file.write_text("")
        code, told = self.report(results, "--out", file / "report.html")
        self.assertEqual((code, told), (1, f"motley: report: cannot write {file}/figures: Not a directory\n"))
        code, told = self.report(results, "--out", self.folder)
        self.assertEqual((code, told), (2, f"motley: report: --out: {self.folder} is a folder; name the page, such as "
                                           f"{self.folder}/report.html\n"))

    def test_nothing_is_written_through_a_link(self):
        results = write_results(self.folder / "results", ("sync",), replicas=1)
        elsewhere = self.folder / "elsewhere"
        elsewhere.write_text("mine\n")
        (results / "figures").mkdir()
        for link in ("report.html", "figures/accuracy.png"):
            (results / link).symlink_to(elsewhere)
        self.assertEqual(self.report(results), (0, ""))
        self.assertEqual(elsewhere.read_text(), "mine\n")
        for link in ("report.html", "figures/accuracy.png"):
            self.assertFalse((results / link).is_symlink())
            self.assertTrue((results / link).is_file())
        self.assertEqual([f for f in results.rglob(".*")], [])  # nothing is left beside them

    def test_a_pipe_or_a_device_at_the_place_of_the_page_is_left_alone(self):
        results = write_results(self.folder / "results", ("sync",), replicas=1)
        os.mkfifo(results / "report.html")
        self.assertEqual(self.report(results), (1, f"motley: report: cannot write {results}/report.html: a pipe, a socket or a device "
                                                   "stands there\n"))
        self.assertTrue((results / "report.html").is_fifo())

    def test_what_columns_there_are_is_written_in_one_place(self):
        self.assertEqual(COLUMNS, {name: [column["name"] for column in table["columns"]] for name, table in DESCRIBED.items()})
        self.assertIn("change", TEXT)
        code = (ROOT / "analysis" / "pictures" / "results.py").read_text()
        for column in ("updates_per_s", "best_test_accuracy", "bottleneck"):  # of tuned.csv and whatif.csv
            self.assertNotIn(column, code)

    def test_a_pipe_among_the_results_is_refused_and_not_waited_for(self):
        for name in ("curves.csv", "scenario.json", "plan.json", "tuned.csv"):
            results = write_results(self.folder / name, ("sync",), replicas=1)
            (results / name).unlink(missing_ok=True)
            os.mkfifo(results / name)
            with self.assertRaisesRegex(NoData, f"{name}: must be a file, and is a pipe, a socket or a device; remove it"):
                Results(results)
        self.assertEqual(self.report(results), (2, f"motley: report: {results}/tuned.csv: must be a file, and is a pipe, a socket or a "
                                                   "device; remove it\n"))
        (results / "tuned.csv").unlink()
        (results / "tuned.csv").symlink_to("/dev/zero")
        with self.assertRaisesRegex(NoData, "tuned.csv: must be a file"):
            Results(results)

    def test_names_that_are_not_utf_8_and_formulas_are_drawn_as_they_are(self):
        results = write_results(self.folder / os.fsdecode(b"caf\xe9"), ("sync", "local"), replicas=1)
        for file in results.glob("*"):
            file.write_text(file.read_text().replace("local", "$\\\\frac{$"))  # in JSON, and a name in the CSV, too
        self.assertEqual(self.report(results), (0, ""))
        self.assertTrue((results / "report.html").is_file())


if __name__ == "__main__":
    unittest.main()
