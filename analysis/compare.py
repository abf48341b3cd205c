#!/usr/bin/env python3
"""Draws every figure a results folder has data for.

    python3 analysis/compare.py results/quickstart --out figs
    python3 analysis/compare.py results/quickstart --figures accuracy,target --only sync,async --columns 1 --format pdf
    python3 analysis/compare.py results/quickstart --latex

Says which figures it leaves out, and why. Needs matplotlib and pandas."""
import argparse
import difflib
import pathlib
import sys

from packages import need_packages

need_packages("compare")  # before anything that imports them

from pictures import figures, latex
from pictures.drawing import draw_all, keep_only
from pictures.files import write_text
from pictures.look import Look
from pictures.results import NoData, results_of
from pictures.style import FORMATS, set_font_size


def tell(drawn, left_out, folder, formats):
    kinds = formats[0] if len(formats) == 1 else "{" + ",".join(formats) + "}"
    for module in drawn:
        print(f"{pathlib.Path(folder) / module.NAME}.{kinds}: {module.TITLE}")
    for module, reason in left_out:
        print(f"left out: {module.NAME} ({reason})")


def listed(option, text, known):
    """The parts of "a,b"; ends the program with what would have been right when one is not known."""
    parts = [part for part in text.split(",") if part]
    for part in parts:
        if part not in known:
            near = difflib.get_close_matches(part, known, 1)
            refuse(f"{option}: must be among {', '.join(known)}; got '{part}'" + (f" (did you mean '{near[0]}'?)" if near else ""))
    if not parts:
        refuse(f"{option}: must name at least one of {', '.join(known)}")
    return parts


def refuse(why):
    print(f"compare: {why}", file=sys.stderr)
    sys.exit(2)


def options():
    names = [module.NAME for module in figures.ALL]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="a results folder of motley run")
    parser.add_argument("--out", help="folder for the figures (default: RESULTS/figures)")
    parser.add_argument("--figures", metavar="FIGURE,...", help="only these figures: " + ", ".join(names))
    parser.add_argument("--only", metavar="ALGORITHM,...", help="only these algorithms, by their labels")
    parser.add_argument("--columns", type=int, choices=[1, 2], default=2, help="of a two-column paper: 3.5 or 7.16 inches (2)")
    parser.add_argument("--font-size", type=float, metavar="POINTS", default=8, help="of labels and titles (8)")
    parser.add_argument("--format", metavar="KIND,...", default=",".join(FORMATS), help="of png, svg, pdf (all)")
    parser.add_argument("--latex", action="store_true", help="write the summary as a LaTeX table, too: summary.tex")
    return parser.parse_args()


def main():
    arguments = options()
    out = pathlib.Path(arguments.out or pathlib.Path(arguments.results) / "figures")
    if not 4 <= arguments.font_size <= 24:
        refuse(f"--font-size: must be between 4 and 24 points, got {arguments.font_size:g}")
    formats = listed("--format", arguments.format, list(FORMATS))
    wanted = listed("--figures", arguments.figures, [m.NAME for m in figures.ALL]) if arguments.figures else None
    try:
        results = results_of(arguments.results)
    except NoData as reason:
        refuse(reason)
    look = Look.of(results, arguments.columns)  # before any algorithm is left out, so that the others keep their colours
    if arguments.only:
        keep_only(results, listed("--only", arguments.only, results.algorithms))
    for name in results.missing:
        print(f"missing: {name}")
    set_font_size(arguments.font_size)
    try:
        tell(*draw_all(results, out, wanted, look, formats), out, formats)
        if arguments.latex:
            write_text(out / "summary.tex", latex.table(results))
            print(f"{out / 'summary.tex'}: the summary as a LaTeX table")
    except OSError as error:
        print(f"compare: cannot write {error.filename or out}: {error.strerror}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
