#!/usr/bin/env python3
"""Draws every figure a results folder has data for, as PNG, SVG and PDF.

    python3 analysis/compare.py results/quickstart --out figs
    python3 analysis/compare.py results/quickstart --only accuracy target

Says which figures it leaves out, and why. Needs matplotlib and pandas."""
import argparse
import pathlib
import sys

from pictures import figures
from pictures.results import NoData, results_of
from pictures.style import Look, save


def draw_all(results, folder, only=None):
    """Writes the figures and returns (drawn modules, [(module, reason it was left out)])."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    look = Look(results.algorithms)
    drawn, left_out = [], []
    for module in figures.ALL:
        if only and module.NAME not in only:
            continue
        try:
            save(module.draw(results, look), folder, module.NAME)
            drawn.append(module)
        except NoData as reason:
            left_out.append((module, str(reason)))
    return drawn, left_out


def tell(drawn, left_out, folder):
    for module in drawn:
        print(f"{pathlib.Path(folder) / module.NAME}.{{png,svg,pdf}}: {module.TITLE}")
    for module, reason in left_out:
        print(f"left out: {module.NAME} ({reason})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="a results folder of motley run")
    parser.add_argument("--out", help="folder for the figures (default: RESULTS/figures)")
    parser.add_argument("--only", nargs="+", choices=[m.NAME for m in figures.ALL], metavar="FIGURE",
                        help="only these: " + ", ".join(m.NAME for m in figures.ALL))
    arguments = parser.parse_args()
    out = arguments.out or pathlib.Path(arguments.results) / "figures"
    try:
        results = results_of(arguments.results)
    except NoData as reason:
        sys.exit(f"compare: {reason}")
    for name in results.missing:
        print(f"missing: {name}")
    try:
        tell(*draw_all(results, out, arguments.only), out)
    except OSError as error:
        sys.exit(f"compare: cannot write {error.filename or out}: {error.strerror}")


if __name__ == "__main__":
    main()
