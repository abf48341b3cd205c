#!/usr/bin/env python3
"""Turns a results folder into figures and one self-contained report.html.

    python3 analysis/report.py results/quickstart            # results/quickstart/report.html, figures/

Needs matplotlib and pandas; Debian's libjs-chart.js makes the charts interactive."""
import argparse
import pathlib
import sys

from packages import need_packages

need_packages("motley: report")  # before anything that imports them

from pictures import report
from pictures.drawing import draw_all
from pictures.files import write_text
from pictures.results import NoData, results_of


def end(code, why):
    print(f"motley: report: {why}", file=sys.stderr)
    sys.exit(code)


def main():
    sys.stdout.reconfigure(errors="surrogateescape")  # file names need not be UTF-8
    sys.stderr.reconfigure(errors="surrogateescape")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="a results folder of motley run")
    parser.add_argument("--out", help="the page to write (default: RESULTS/report.html); figures/ goes beside it")
    arguments = parser.parse_args()
    out = pathlib.Path(arguments.out or pathlib.Path(arguments.results) / "report.html")
    try:
        results = results_of(arguments.results)
    except NoData as reason:
        end(2, reason)
    figures_folder = out.parent / "figures"
    try:
        if out.is_dir():
            end(2, f"--out: {out} is a folder; name the page, such as {out / 'report.html'}")
        drawn, left_out = draw_all(results, figures_folder)
        page = report.page(results, drawn, left_out, figures_folder, report.library())
        write_text(out, page, errors="replace")
    except OSError as error:
        end(1, f"cannot write {error.filename or out}: {error.strerror}")
    for name in results.missing:
        print(f"missing: {name}")
    for module, reason in left_out:
        print(f"left out: {module.NAME} ({reason})")
    print(f"Report: {out}  ({len(drawn)} figures in {figures_folder})")


if __name__ == "__main__":
    main()
