"""The page of the report in a browser."""
import json
import re
import sys
import unittest

import chromium
from report_case import ALGORITHMS, RATIO, FolderCase, page_of
from pictures import report
from pictures.look import Look
from pictures.results import Results
from results_fixture import write_results

SIZE = "/cost/model_size"


@unittest.skipIf(chromium.PROGRAM is None, "Chromium is not installed")
@unittest.skipIf(report.library() is None, "Chart.js is not installed (Debian: libjs-chart.js)")
class InChromium(FolderCase):
    def write(self, **arguments):
        write_results(self.folder, ALGORITHMS, **arguments)
        file = self.folder / "report.html"
        file.write_text(page_of(self.folder, report.library()))
        return file

    def check_quiet(self, page):
        self.assertEqual(page.errors, [])
        self.assertEqual([r for r in page.requests if not r.startswith(("file:", "data:"))], [])

    def test_the_charts_show_their_series_and_an_algorithm_can_be_hidden(self):
        file = self.write()
        series = """Object.fromEntries(Object.entries(motley.charts).map(([name, chart]) => [name,
            [...new Set(chart.data.datasets.flatMap((d) => d.algorithms || (d.algorithm ? [d.algorithm] : [])))]]))"""
        with chromium.Page() as page:
            page.open(file)
            seen = page.evaluate(series)
            self.assertEqual(sorted(seen), ["contribution", "curves", "decisions", "links", "speedup", "staleness",
                                            "target", "time"])
            for name in ("curves", "time", "links", "contribution"):
                self.assertEqual(seen[name], list(ALGORITHMS), name)
            self.assertEqual(seen["target"], ["async", "local", "sync", "slow"])
            self.assertEqual(seen["staleness"], ["async"])
            # As in the figures: a marker of its own, a few of them on a line.
            styles = page.evaluate("""Object.fromEntries(motley.charts.curves.data.datasets
                .filter((d) => d.algorithm && !d.band).map((d) => [d.algorithm, d.pointStyle]))""")
            self.assertEqual([styles[a] for a in ALGORITHMS], ["circle", "rect", "triangle", report.POINTS[Look(["slow"]).marker("slow")]])
            drawn = page.evaluate("motley.charts.curves.getDatasetMeta(0).data.filter((p) => p.options.radius > 0).length")
            self.assertTrue(8 <= drawn <= 10, drawn)
            self.assertEqual(seen["decisions"], ["local"])
            page.evaluate("document.querySelector('#algorithms [data-label=async]').click()")
            hidden = page.evaluate(series)
            for name, shown in hidden.items():
                self.assertNotIn("async", shown, name)
            self.assertTrue(page.evaluate("document.querySelector('tr[data-label=async]').hidden"))
            page.evaluate("document.querySelector('#algorithms [data-label=async]').click()")
            self.assertEqual(page.evaluate(series), seen)
            # Something is painted: not all pixels of the curves' canvas are the same.
            self.assertGreater(page.evaluate("""new Set(new Uint32Array(document.querySelector('[data-chart=curves] canvas')
                .getContext('2d').getImageData(0, 0, 600, 250).data.buffer)).size"""), 3)
            self.check_quiet(page)

    def test_choosing_and_zooming_change_what_is_shown(self):
        file = self.write()
        with chromium.Page() as page:
            page.open(file)
            page.evaluate("""(() => { const x = document.querySelector('[data-chart=curves] [data-choice=x]');
                x.value = 'updates'; x.dispatchEvent(new Event('change')); })()""")
            self.assertEqual(page.evaluate("motley.charts.curves.options.scales.x.title.text"), "updates of the global model")
            self.assertEqual(page.evaluate("motley.charts.curves.scales.x.max"), 3000)
            page.evaluate("document.querySelector('[data-chart=curves] [data-zoom=\"0.5\"]').click()")
            self.assertEqual(page.evaluate("motley.charts.curves.scales.x.max"), 1500)
            page.evaluate("document.querySelector('[data-chart=curves] [data-zoom=all]').click()")
            self.assertEqual(page.evaluate("motley.charts.curves.scales.x.max"), 3000)
            page.evaluate("""(() => { const c = motley.charts.curves, box = c.canvas.getBoundingClientRect();
                const at = (share) => ({ pointerType: 'mouse', bubbles: true, clientX: box.left + c.chartArea.left + share * c.chartArea.width });
                c.canvas.dispatchEvent(new PointerEvent('pointerdown', at(0.25)));
                c.canvas.dispatchEvent(new PointerEvent('pointermove', at(0.75)));
                window.dispatchEvent(new PointerEvent('pointerup', at(0.75))); })()""")
            self.assertAlmostEqual(page.evaluate("motley.charts.curves.scales.x.min"), 750, delta=10)
            self.assertAlmostEqual(page.evaluate("motley.charts.curves.scales.x.max"), 2250, delta=10)
            self.check_quiet(page)

    def test_a_sweep_of_a_hundred_runs_loads_at_once_and_shows_its_axis(self):
        file = self.write(axes={RATIO: [1, 2, 4, 8, 16]}, replicas=5, trace=False)
        self.assertLess(file.stat().st_size, 3e6)
        with chromium.Page() as page:
            page.open(file)
            self.assertIn("sweep", page.evaluate("Object.keys(motley.charts)"))
            self.assertEqual(page.evaluate("motley.charts.sweep.data.datasets[0].data.map((p) => p.x)"), [1, 2, 4, 8, 16])
            # The table and the list of what decides.
            shown = "[...document.querySelectorAll('[data-point]')].filter((e) => !e.hidden).map((e) => e.dataset.point)"
            self.assertEqual(page.evaluate(shown), ["spread ratio = 1"] * 2)
            page.evaluate("""(() => { const p = document.querySelector('[data-choice=point]');
                p.value = 'spread ratio = 8'; p.dispatchEvent(new Event('change')); })()""")
            self.assertEqual(page.evaluate(shown), ["spread ratio = 8"] * 2)
            steps = page.evaluate("motley.charts.decisions.data.datasets.length")
            self.assertEqual(steps, 4)  # one line per worker, at this point as at the first
            self.check_quiet(page)

    def sweep_page(self, page, axes, **more):
        page.open(self.write(axes=axes, trace=False, **more))
        ticks = page.evaluate("motley.charts.sweep.scales.x.ticks.map((t) => [t.value, t.label])")
        self.check_quiet(page)
        return [value for value, _ in ticks], [label for _, label in ticks]

    def test_swept_quantities_are_drawn_to_scale_and_named_as_they_were_written(self):
        with chromium.Page() as page:
            # Each ten times the one before: a log scale, on which neighbours are equally far apart.
            places, names = self.sweep_page(page, {SIZE: ["100kB", "1MB", "10MB"]})
            self.assertEqual((places, names), ([1e5, 1e6, 1e7], ["100kB", "1MB", "10MB"]))
            self.assertEqual(page.evaluate("motley.charts.sweep.scales.x.type"), "logarithmic")
            self.assertTrue(page.evaluate("motley.charts.sweep.options.scales.x.title.text").endswith("model size (log scale)"))
            at = page.evaluate("[1e5, 1e6, 1e7].map((v) => motley.charts.sweep.scales.x.getPixelForValue(v))")
            self.assertAlmostEqual(at[1] - at[0], at[2] - at[1], delta=0.5)
            # Of no common factor: a linear scale.
            places, names = self.sweep_page(page, {SIZE: ["10MB", "20MB", "50MB"]})
            self.assertEqual((places, names), ([1e7, 2e7, 5e7], ["10MB", "20MB", "50MB"]))
            at = page.evaluate("[1e7, 2e7, 5e7].map((v) => motley.charts.sweep.scales.x.getPixelForValue(v))")
            self.assertAlmostEqual(3 * (at[1] - at[0]), at[2] - at[1], delta=0.5)

    def test_what_is_no_quantity_stands_side_by_side(self):
        with chromium.Page() as page:
            places, names = self.sweep_page(page, {"/model/kind": ["softmax", "mlp", "cnn"]})
            self.assertEqual((places, names), ([0, 1, 2], ["softmax", "mlp", "cnn"]))
            self.assertEqual(page.evaluate("motley.charts.sweep.scales.x.type"), "linear")

    def test_of_names_that_would_meet_the_later_one_is_left_out(self):
        with chromium.Page() as page:
            places, names = self.sweep_page(page, {SIZE: ["1000kB", "1001kB", "20MB"]})
            self.assertEqual((places, names), ([1e6, 1.001e6, 2e7], ["1000kB", "", "20MB"]))

    def test_in_a_sweep_a_bound_is_an_open_marker_with_an_arrow_beside_the_line(self):
        with chromium.Page() as page:
            self.sweep_page(page, {SIZE: ["1MB", "10MB"]}, replicas=5)
            # slow never arrives: nothing of it is on a line, and its bounds lie where its runs end.
            of = "motley.charts.sweep.data.datasets.filter((s) => s.algorithm === 'slow')"
            self.assertEqual(page.evaluate(f"{of}[0].data.map((p) => p.y)"), [None, None])
            runs = Results(self.folder).runs
            ends = runs[runs["algorithm"] == "slow"]["virtual_s"].unique().tolist()
            self.assertEqual(page.evaluate(f"{of}.find((s) => s.bounds).data.map((p) => p.y)"), [ends[0]] * 2)
            self.assertEqual(page.evaluate(f"{of}.find((s) => s.bounds).bounds.map((b) => b.way)"), [1, 1])
            self.assertEqual(page.evaluate("motley.charts.sweep.data.datasets.filter((s) => s.algorithm === 'async' && s.bounds)[0].data"), [])

    def test_a_bar_that_is_a_bound_is_pale_and_has_an_arrow(self):
        self.write()
        file = self.folder / "summary.csv"
        head, *rows = [line.split(",") for line in file.read_text().splitlines()]
        at = {name: i for i, name in enumerate(head)}
        for row in rows:
            if row[at["algorithm"]] == "async":  # not all of its runs arrive, and the baseline's never
                row[at["reached"]], row[at["speedup_bound"]] = str(int(row[at["n"]]) - 1), "at_least"
        file.write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")
        page_file = self.folder / "report.html"
        page_file.write_text(page_of(self.folder, report.library()))
        with chromium.Page() as page:
            page.open(page_file)
            for chart in ("target", "speedup"):
                bars = page.evaluate(f"motley.charts.{chart}.data.datasets[0]")
                at_first = bars["algorithms"].index("async")
                self.assertEqual([bars["ways"][at_first], sum(bars["ways"])], [1, 1], chart)
                self.assertEqual([colour.endswith("66") for colour in bars["backgroundColor"]].index(True), at_first, chart)
            self.check_quiet(page)

    def test_a_phone_in_the_dark_scrolls_only_down(self):
        file = self.write()
        with chromium.Page(width=390, height=800, dark=True) as page:
            page.open(file)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
            self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 26)")
            self.assertEqual(page.evaluate("motley.charts.curves.options.scales.x.ticks.color"), "#e8eaed")
            self.check_quiet(page)

    def test_names_that_look_like_markup_or_are_long_leave_a_page_that_works(self):
        hostile = {"local": "<!--<script>", "gpu-0": "</script><script>alert(1)</script>", "slow": "s" * 250, "cpu": "'\"&amp;\u2028"}
        write_results(self.folder, ALGORITHMS)
        for file in self.folder.glob("*"):
            content = file.read_text()
            for plain, name in hostile.items():
                cell = json.dumps(name)[1:-1] if file.suffix == ".json" else name.replace('"', '""')
                quoted = rf'(?<![\w"]){plain}([^,\n]*)'
                content = content.replace(plain, cell) if file.suffix == ".json" else \
                    re.sub(quoted, lambda m, cell=cell: f'"{cell}{m[1]}"', content)
            file.write_text(content)
        file = self.folder / "report.html"
        file.write_text(page_of(self.folder, report.library()))
        with chromium.Page(width=390, height=800) as page:
            page.open(file)
            self.assertEqual(page.evaluate("motley.data.algorithms"), ["sync", "async", "<!--<script>", "s" * 250])
            self.assertIn("</script><script>alert(1)</script>", page.evaluate("motley.data.contribution.all.map((r) => r.worker)"))
            self.assertEqual(page.evaluate("motley.charts.target.data.labels"),
                             ["async", "<!--<script>", "sync", "s" * 16 + "…" + "s" * 15 + " (not reached)"])
            self.assertEqual(page.evaluate("document.querySelectorAll('script').length"), 3)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
            self.check_quiet(page)

    def test_empty_and_failed_results_open_without_a_complaint(self):
        with chromium.Page() as page:
            for name, statuses in (("empty", None), ("failed", {f"{a}-0": "failed" for a in ALGORITHMS})):
                folder = self.folder / name
                folder.mkdir()
                if statuses:
                    write_results(folder, ALGORITHMS, replicas=1, statuses=statuses, trace=False, decisions=False)
                (folder / "report.html").write_text(page_of(folder, report.library()))
                page.open(folder / "report.html")
                self.assertTrue(page.evaluate("document.querySelector('#answer').innerText.length > 0"))
                self.check_quiet(page)


if __name__ == "__main__":
    if chromium.PROGRAM is None or report.library() is None:
        print("SKIPPED: the report was not opened in a browser: install chromium and libjs-chart.js", file=sys.stderr)
        sys.exit(77)
    unittest.main()
