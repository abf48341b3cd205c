#!/usr/bin/env python3
"""Turns a results folder into figures and one self-contained report.html.

    python3 analysis/report.py results/quickstart            # results/quickstart/report.html, figures/

Needs matplotlib and pandas; Debian's libjs-chart.js makes the charts interactive."""
import argparse
import pathlib
import sys

from compare import draw_all
from pictures import report
from pictures.results import NoData, Results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="a results folder of motley run")
    parser.add_argument("--out", help="the page to write (default: RESULTS/report.html); figures/ goes beside it")
    arguments = parser.parse_args()
    out = pathlib.Path(arguments.out or pathlib.Path(arguments.results) / "report.html")
    try:
        results = Results(arguments.results)
    except NoData as reason:
        sys.exit(f"motley: report: {reason}")
    figures_folder = out.parent / "figures"
    drawn, left_out = draw_all(results, figures_folder)
    out.write_text(report.page(results, drawn, left_out, figures_folder, report.library()))
    for name in results.missing:
        print(f"missing: {name}")
    for module, reason in left_out:
        print(f"left out: {module.NAME} ({reason})")
    print(f"Report: {out}  ({len(drawn)} figures in {figures_folder})")


if __name__ == "__main__":
    main()
