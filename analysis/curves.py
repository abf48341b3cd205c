#!/usr/bin/env python3
"""Test accuracy (or loss) against virtual time, one line an algorithm.

    python3 analysis/curves.py results/quickstart --out quickstart.png
"""
import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

# Okabe and Ito's colours, which the colour-blind can tell apart.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]


def figure(folder):
    """Draws the curves of a results folder and returns the figure."""
    folder = pathlib.Path(folder)
    runs = pd.read_csv(folder / "runs.csv")
    curves = pd.read_csv(folder / "curves.csv")
    target = json.loads((folder / "scenario.json").read_text()).get("target", {})
    column = "test_accuracy" if curves["test_accuracy"].notna().any() else "test_loss"

    fig, axes = plt.subplots(figsize=(6.4, 3.8), constrained_layout=True)
    for index, run in runs.iterrows():
        curve = curves[curves["run"] == run["run"]]
        axes.plot(curve["time_s"], curve[column], label=run["algorithm"],
                  color=COLOURS[index % len(COLOURS)], marker=MARKERS[index % len(MARKERS)],
                  markersize=4, markevery=max(1, len(curve) // 10), linewidth=1.4)
    wanted = target.get("accuracy" if column == "test_accuracy" else "loss")
    if wanted is not None:
        axes.axhline(wanted, color="0.4", linestyle="--", linewidth=1)
        axes.annotate(f"target {wanted:g}", (1, wanted), xycoords=("axes fraction", "data"),
                      xytext=(-4, -3), textcoords="offset points", ha="right", va="top",
                      color="0.4", fontsize=9)
    # The first steep moments would squeeze what the comparison is about.
    later = curves[curves["time_s"] > 0.03 * curves["time_s"].max()][column]
    if column == "test_accuracy" and not later.empty:
        axes.set_ylim(bottom=max(0, later.min() - 0.02))
    axes.set_xlim(left=0)
    axes.set_xlabel("virtual time (s)")
    axes.set_ylabel(column.replace("_", " "))
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="a results folder of motley run")
    parser.add_argument("--out", default="curves.png", help="picture to write (.png, .svg, .pdf)")
    arguments = parser.parse_args()
    figure(arguments.results).savefig(arguments.out, dpi=150)


if __name__ == "__main__":
    main()
