#!/usr/bin/env python3
"""What papers claim against what was measured: one row per claim.

    python3 analysis/claims.py scenarios/papers
    python3 analysis/claims.py scenarios/papers --take results/papers-grouping results/papers-od_sgd

FOLDER/claims.jsonl has one claim per line: how many times better "algorithm" is than "against" (in "quantity", time to target when
absent), and the range that the paper claims, open where an end is null. FOLDER/results/NAME has runs.csv and comparisons.csv of the runs, in few columns, which
--take copies there. Nothing is decided here: times to target are compared in comparisons.csv, everything else by "motley verdicts". Writes FOLDER/claims.csv,
a figure per paper, FOLDER/claims_PAPER.png, and FOLDER/claims.png with those claims of all papers that have "headline": true. Needs the program (MOTLEY_BINARY, or
the launcher of the checkout), matplotlib and pandas."""
import argparse
import csv
import io
import json
import math
import pathlib
import sys
import tempfile

from packages import need_packages

need_packages("claims")  # before anything that imports them

import matplotlib.pyplot as plt

from gallery import write_picture
from motley.errors import MotleyError
from motley.program import call
from pictures.files import write_text
from pictures.style import WIDTHS_IN, small

KEPT = {"runs.csv": ["algorithm", "replica", "status", "virtual_s", "updates", "epochs", "final_test_accuracy", "best_test_accuracy",
                     "final_test_loss", "time_to_target_s"],
        "comparisons.csv": ["algorithm", "against", "ratio", "ratio_low", "ratio_high", "bound", "p_holm", "verdict"],
        "tuned.csv": ["algorithm", "step_size", "chosen"]}
ELSEWHERE = " (other point)"
COLOURS = {"within": "#2E7D4F", "above": "#2F5FA8", "below": "#B23A3A", "undecided": "#6B6B6B"}
MORE_IS_BETTER = {"final_test_accuracy", "epochs"}


class Mistake(Exception):
    """What is wrong with the folder, in one line."""


def listed(folder):
    return [json.loads(line) for line in (folder / "claims.jsonl").read_text(encoding="utf-8").splitlines()]


def rows_of(file):
    with open(file, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def take(results, folder):
    """Copies what claims are made of, with the columns that say something and no more digits than they mean."""
    for name, columns in KEPT.items():
        source = pathlib.Path(results) / name
        if not source.exists():
            continue
        rows = rows_of(source)
        if name == "comparisons.csv" and not any(row["ratio"] for row in rows):
            continue  # without a target there is nothing in it
        if name == "tuned.csv":
            rows = [row for row in rows if row.get("chosen") == "1"]
        kept = [c for c in rows[0] if c in columns or c.startswith("/")] if rows else columns
        text = io.StringIO()
        writer = csv.DictWriter(text, kept, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: shortened(row[key]) for key in kept} for row in rows)
        place = folder / "results" / pathlib.Path(results).name.removeprefix("papers-") / name
        place.parent.mkdir(parents=True, exist_ok=True)
        write_text(place, text.getvalue())


def shortened(value):
    try:
        return f"{float(value):.6g}"
    except ValueError:
        return value


def at_point(rows, point):
    """The rows at a point of the sweep, given by the ends of its axes' names: {"momentum": "0.9"}."""
    def fits(row, name, value):
        return any(key.startswith("/") and key.endswith(name) and row[key] == value for key in row)
    found = [row for row in rows if all(fits(row, name, value) for name, value in point.items())]
    if not found:
        raise Mistake(f"no row at {point}")
    return found


def measured(claim, folder):
    """Ratio, its interval and whether it is decided, in favour of claim["algorithm"] when above 1."""
    place = folder / "results" / claim["results"]
    one, other = claim["algorithm"], claim["against"] + (ELSEWHERE if "against_at" in claim else "")
    point = claim.get("at", {})
    if "quantity" in claim:
        rows = verdicts(rows_of(place / "runs.csv"), claim["quantity"], point, claim.get("against_at"))
    else:
        rows = at_point(rows_of(place / "comparisons.csv"), point)
    rows = [row for row in rows if (row["algorithm"], row["against"]) == (one, other)]
    if len(rows) != 1:
        raise Mistake(f"{place}: {len(rows)} comparisons of {one} and {other} at {point}")
    row = rows[0]
    ends = [float(row[key]) if row[key] else math.nan for key in ("ratio", "ratio_low", "ratio_high")]
    return *ends, row.get("bound", ""), row["verdict"] != "undecided"


def verdicts(runs, quantity, point, other_point):
    """What the program decides of all algorithms at a point, or at two points together, where those of the other one have
    ELSEWHERE behind their names: rows as those of comparisons.csv."""
    rows = [(row["algorithm"], row) for row in at_point(runs, point)]
    if other_point is not None:
        rows += [(row["algorithm"] + ELSEWHERE, row) for row in at_point(runs, other_point)]
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / "runs.csv"
        with open(file, "w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([("algorithm", "replica", "status", "value")] +
                                         [(label, row["replica"], row.get("status", "ok"), value_of(row, quantity))
                                          for label, row in rows])
        told = call(["verdicts", str(file), "--of", "value", *(["--more-is-better"] if quantity in MORE_IS_BETTER else [])])
    return list(csv.DictReader(io.StringIO(told)))


def value_of(row, quantity):
    """Of a run; epoch_s is the time of an epoch."""
    if quantity == "epoch_s":
        return float(row["virtual_s"]) / float(row["epochs"])
    if row[quantity] == "":
        raise Mistake(f"{row['algorithm']}, replica {row['replica']}: no {quantity}")
    return float(row[quantity])


def against_range(low, high, claimed):
    """Where an interval lies to the claimed range [least, most], either of which may be null: open."""
    least, most = 0 if claimed[0] is None else claimed[0], math.inf if claimed[1] is None else claimed[1]
    if low > most:
        return "above"
    return "below" if high < least else "within"


def judged(claims, folder):
    for claim in claims:
        ratio, low, high, bound, decided = measured(claim, folder)
        where = against_range(ratio if math.isnan(low) else low, ratio if math.isnan(high) else high, claim["claimed"])
        yield claim | {"ratio": ratio, "low": low, "high": high, "bound": bound, "decided": decided, "where": where}


def table(rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["paper", "claim", "claimed_low", "claimed_high", "results", "algorithm", "against", "at", "quantity", "ratio",
                     "low", "high", "bound", "decided", "where"])
    for row in rows:
        claimed = ["" if end is None else end for end in row["claimed"]]
        numbers = ["" if math.isnan(row[key]) else f"{row[key]:.4g}" for key in ("ratio", "low", "high")]
        at = " ".join(f"{name}={value}" for name, value in row.get("at", {}).items())
        writer.writerow([row["paper"], row["claim"], *claimed, row["results"], row["algorithm"], row["against"], at,
                         row.get("quantity", "time_to_target_s"), *numbers, row["bound"], int(row["decided"]), row["where"]])
    return text.getvalue()


def draw(rows, with_paper):
    """with_paper: whether to name it before each claim."""
    fig, ax = plt.subplots(figsize=(WIDTHS_IN[2], 0.6 + 0.21 * len(rows)))
    ends = [x for row in rows for x in (row["ratio"], row["low"], row["high"], *row["claimed"]) if x and not math.isnan(x)]
    least, most = min(ends) / 1.25, max(ends) * 1.25
    for y, row in enumerate(rows):
        low, high = row["claimed"][0] or least, row["claimed"][1] or most
        ax.barh(y, high - low, left=low, height=0.72, color="#DDDDDD", zorder=1)
        colour = COLOURS[row["where"] if row["decided"] else "undecided"]
        if not math.isnan(row["low"]):
            ax.plot([row["low"], row["high"]], [y, y], color=colour, lw=1.6, zorder=2, solid_capstyle="butt")
        if not math.isnan(row["ratio"]):
            marker = {"at_least": ">", "at_most": "<", "mixed": "x"}.get(row["bound"], "o")
            ax.plot(row["ratio"], y, marker, ms=4.2, mfc=colour if row["decided"] else "white", mec=colour, zorder=3)
    for y in range(1, len(rows)):
        if rows[y]["paper"] != rows[y - 1]["paper"]:
            ax.axhline(y - 0.5, color="#999999", lw=0.6)
    ax.axvline(1, color="#444444", lw=0.8, zorder=1.5)
    ax.set_xscale("log")
    ax.set_xlim(least, most)
    ticks = [x for x in (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 30, 50, 100) if least <= x <= most]
    ax.set_xticks(ticks, [f"{x:g}" for x in ticks])
    ax.minorticks_off()
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks(range(len(rows)), [f"{row['paper']}: {row['claim']}" if with_paper else row["claim"] for row in rows], fontsize=small())
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", visible=False)
    fig.supxlabel("times better (logarithmic), with 95 % intervals, over the range claimed (pale).\n"
                  "Green: overlaps it; blue: above it; red: below it; hollow: whether there is a difference is undecided.\n"
                  "Arrows: bounds; crosses: times that are cut where runs of both sides ended.", fontsize=small())
    return fig


def name_of(paper):
    return paper.lower().replace("-", "_").replace(" ", "_")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where claims.jsonl is")
    parser.add_argument("--take", nargs="+", metavar="RESULTS", default=[], help="results folders of motley run to copy from, first")
    arguments = parser.parse_args()
    try:
        for results in arguments.take:
            take(results, arguments.folder)
        rows = list(judged(listed(arguments.folder), arguments.folder))
        write_text(arguments.folder / "claims.csv", table(rows))
        write_picture(draw([row for row in rows if row.get("headline")], with_paper=True), arguments.folder / "claims.png")
        for paper in dict.fromkeys(row["paper"] for row in rows):
            mine = [row for row in rows if row["paper"] == paper]
            write_picture(draw(mine, with_paper=False), arguments.folder / f"claims_{name_of(paper)}.png")
    except (Mistake, MotleyError, OSError, KeyError) as reason:
        print(f"claims: {reason}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
