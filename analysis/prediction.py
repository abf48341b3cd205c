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
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from pictures.style import WIDTHS_IN, plt, small

WITHIN = 0.1  # shaded: a prediction so near is a good one
FITTED_FROM_BYTES = 100_000  # smaller messages are timed, but not fitted
MARKERS = {"up": "^", "down": "v", "incast": "o", "outcast": "s", "ring": "D", "gradient": "x"}


def draw_line_of_truth(axes, low, high):
    line = [low, high]
    axes.fill_between(line, [x * (1 - WITHIN) for x in line], [x * (1 + WITHIN) for x in line], color="#ECECEC", lw=0,
                      label=f"within {WITHIN:.0%}")
    axes.plot(line, line, color="#6B6B6B", lw=0.8)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 300 * low else (1,)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def spread(wanted, gap, low, high):
    """The same places, ascending, moved apart to this gap at least, and into low to high."""
    places = list(wanted)
    for i, place in enumerate(places):
        places[i] = max(place, low if i == 0 else places[i - 1] + gap)
    for i in reversed(range(len(places))):
        places[i] = min(places[i], high if i == len(places) - 1 else places[i + 1] - gap)
    return places


def draw_prediction(table):
    """Time per update of every algorithm, with how far off it may be by chance where replicas tell. Their names stand in a
    column beside the axes, in the order of the points."""
    line_in = 1.3 * small() / 72
    height = max(WIDTHS_IN[1], (len(table) + 6) * line_in)
    figure, axes = plt.subplots(figsize=(1.6 * WIDTHS_IN[1], height))
    # By how much the two may be apart by chance, where replicas tell.
    apart = table["update_chance"] * table["measured_update_s"] if "update_chance" in table else pd.Series(dtype=float)
    ends = [table["predicted_update_s"] + apart, (table["predicted_update_s"] - apart).clip(lower=0.01 * table["predicted_update_s"])]
    times = pd.concat([table["predicted_update_s"], table["measured_update_s"], *ends]).dropna()
    draw_line_of_truth(axes, times.min() / 1.6, times.max() * 1.6)
    axes.set(xlabel="measured time per update (s)", ylabel="predicted (s)")
    if apart.notna().any():
        axes.errorbar([], [], yerr=[], fmt="none", color="#2F4468", lw=0.8, capsize=1.5, label="by chance (95 %)")
    axes.legend(loc="upper left")
    figure.canvas.draw()  # settles where the axes are
    rows = table.sort_values(["predicted_update_s", "measured_update_s"])
    points = list(zip(rows["measured_update_s"], rows["predicted_update_s"]))
    wanted = [axes.transAxes.inverted().transform(axes.transData.transform(point))[1] for point in points]
    gap = line_in / (height * axes.get_position().height)
    for (_, row), point, place in zip(rows.iterrows(), points, spread(wanted, gap, gap / 2, 1 - gap / 2)):
        if pd.notna(apart.get(row.name)):
            below = min(apart[row.name], 0.99 * point[1])
            axes.errorbar(*point, yerr=[[below], [apart[row.name]]], fmt="none", color="#2F4468", lw=0.8, capsize=1.5, zorder=2)
        axes.plot(*point, "o", ms=4, color="#2F4468", zorder=3)
        axes.annotate(f"{row['algorithm']} {row['update_error']:+.1%}", point, xytext=(1.04, place), textcoords="axes fraction",
                      fontsize=small(), ha="left", va="center", annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": "#B9B9B9", "lw": 0.5, "shrinkA": 1, "shrinkB": 2,
                                  "relpos": (0, 0.5)})
    return figure


def draw_fit(table):
    """All timings of a calibration against what the fitted cluster gives for them. Messages that are too small to be
    fitted are hollow; where the fit gives no time at all to an empty one, it stands at the lower edge."""
    figure, axes = plt.subplots(figsize=(1.4 * WIDTHS_IN[1], WIDTHS_IN[1]))
    times = pd.concat([table["fitted_s"], table["measured_s"]])
    low, high = times[times > 0].min() / 1.4, times.max() * 1.4
    draw_line_of_truth(axes, low, high)
    is_small = (table["bytes"] < FITTED_FROM_BYTES) & (table["what"] != "gradient")
    for what, marker in MARKERS.items():
        of_kind = table["what"] == what
        if not of_kind.any():
            continue
        color = None
        for rows, fill in ((table[of_kind & ~is_small], "full"), (table[of_kind & is_small], "none")):
            # The first gives the kind its colour and its place in the legend, even when it is empty.
            points = axes.plot(rows["measured_s"], rows["fitted_s"].clip(lower=low), marker, ms=3, alpha=0.6, color=color,
                               fillstyle=fill, label=what if color is None else None, clip_on=False)
            color = points[0].get_color()
    if is_small.any():
        axes.plot([], [], "o", ms=3, color="#6B6B6B", fillstyle="none", label="below 100 kB: not fitted")
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
    figure.savefig(options.figure, bbox_inches="tight")
    print(options.figure)


if __name__ == "__main__":
    main()
