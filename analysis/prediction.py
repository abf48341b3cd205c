#!/usr/bin/env python3
"""Draws what a simulation predicted against what a live run measured, or how a calibration fits.

    python3 analysis/prediction.py results/quickstart_live/compare.csv prediction.png
    python3 analysis/prediction.py measured.csv fit.png

The first is written by motley compare, the second by motley calibrate. Needs matplotlib and pandas."""
import argparse
import pathlib
import sys

from packages import need_packages

need_packages("prediction")  # before anything that imports them

import pandas as pd
from matplotlib.ticker import FuncFormatter, NullFormatter

from pictures.style import WIDTHS_IN, plt, small

WITHIN = 0.1  # shaded: a prediction so near is a good one
MARKERS = {"up": "^", "down": "v", "incast": "o", "outcast": "s", "ring": "D"}


def draw_line_of_truth(axes, low, high):
    line = [low, high]
    axes.fill_between(line, [x * (1 - WITHIN) for x in line], [x * (1 + WITHIN) for x in line], color="#ECECEC", lw=0,
                      label=f"within {WITHIN:.0%}")
    axes.plot(line, line, color="#6B6B6B", lw=0.8)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def draw_prediction(table):
    """Time per update of every algorithm, each a named point."""
    figure, axes = plt.subplots(figsize=(1.4 * WIDTHS_IN[1], WIDTHS_IN[1]))
    times = pd.concat([table["predicted_update_s"], table["measured_update_s"]])
    draw_line_of_truth(axes, times.min() / 2.5, times.max() * 2.5)
    # Names in turn below and above the line, lest they meet.
    for place, (_, row) in enumerate(table.sort_values("measured_update_s").iterrows()):
        at = (row["measured_update_s"], row["predicted_update_s"])
        below = place % 2 == 0
        axes.plot(*at, "o", ms=4, color="#2F4468")
        axes.annotate(f"{row['algorithm']} {row['update_error']:+.1%}", at, xytext=(6, -3) if below else (-6, 3),
                      textcoords="offset points", fontsize=small(), ha="left" if below else "right",
                      va="top" if below else "bottom")
    axes.set(xlabel="measured time per update (s)", ylabel="predicted (s)")
    axes.legend(loc="upper left")
    return figure


def draw_fit(table):
    """All timings of a calibration against what the fitted cluster gives for them."""
    figure, axes = plt.subplots(figsize=(1.4 * WIDTHS_IN[1], WIDTHS_IN[1]))
    times = pd.concat([table["fitted_s"], table["measured_s"]])
    draw_line_of_truth(axes, times.min() / 1.4, times.max() * 1.4)
    for what, marker in MARKERS.items():
        rows = table[table["what"] == what]
        if not rows.empty:
            axes.plot(rows["measured_s"], rows["fitted_s"], marker, ms=3, alpha=0.6, label=what)
    axes.set(xlabel="measured (s)", ylabel="fitted (s)")
    axes.legend(loc="upper left")
    return figure


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("table", type=pathlib.Path, help="compare.csv, or the timings beside a calibrated scenario")
    parser.add_argument("figure", type=pathlib.Path, help="the file to write: .png, .svg or .pdf")
    options = parser.parse_args(arguments)
    try:
        table = pd.read_csv(options.table)
    except (OSError, ValueError) as error:
        sys.exit(f"prediction: {options.table}: {error}")
    if "predicted_update_s" in table:
        figure = draw_prediction(table)
    elif "fitted_s" in table:
        figure = draw_fit(table)
    else:
        sys.exit(f"prediction: {options.table} was written neither by motley compare nor by motley calibrate")
    figure.savefig(options.figure)
    print(options.figure)


if __name__ == "__main__":
    main()
