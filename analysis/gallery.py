#!/usr/bin/env python3
"""Writes the gallery: every figure, drawn from the first results folder that has data for it.

    python3 analysis/gallery.py results/quickstart_tuned results/map results/spot

Makes analysis/GALLERY.md and analysis/gallery/*.png anew. Ends with an error when no folder has data for some figure, and
writes nothing then."""
import argparse
import io
import pathlib
import shlex
import sys

from packages import need_packages

need_packages("gallery")  # before anything that imports them

import matplotlib.pyplot as plt
from PIL import Image

from pictures import figures
from pictures.files import write_file, write_text
from pictures.results import NoData, Results
from pictures.look import Look

HERE = pathlib.Path(__file__).resolve().parent
# Enough for a screen, small enough to be kept in the repository.
DPI = 140
COLOURS = 160


def draw_first(module, folders):
    """The figure from the first folder that has it, and that folder; None when none has."""
    for folder in folders:
        try:
            results = Results(folder)
            return module.draw(results, Look.of(results)), folder
        except NoData:
            continue
    return None


def write_picture(fig, file):
    whole = io.BytesIO()
    fig.savefig(whole, format="png", dpi=DPI, bbox_inches="tight", pad_inches=0.03)
    plt.close(fig)
    picture = Image.open(whole).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    write_file(file, lambda stream: picture.save(stream, format="png", optimize=True))


def command_of(folder):
    """How the folder was made."""
    return shlex.join(["./motley"] + Results(folder).provenance["command"][1:])


def opening(folders):
    """What is above the figures: how all of them are meant, and the commands that made them."""
    return ["# Gallery", "",
            "The figures of `./motley report` and how to read them. An algorithm has the same colour, marker and dashes in every",
            "figure and every scenario; no two algorithms share both marker and dashes, so that they can be told apart without",
            "colours. A label of one's own has a shade of its algorithm's colour, and dashes that no algorithm has. Classes of",
            "workers are greys, blue and brown ones; what a host does is pale. Bars start at zero; logarithmic axes say so. Made by:",
            "", "```sh", *(command_of(folder) for folder in folders), f"python3 analysis/gallery.py {' '.join(folders)}", "```", ""]


def section(module, folder):
    """What is said about one figure; the same words as in the report."""
    return [f"## {module.TITLE}", "", f"![{module.TITLE}](gallery/{module.NAME}.png)", "", module.HOW_TO_READ, "",
            f"*{module.NAME}, from {folder}*", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", help="results folders of motley run")
    folders = parser.parse_args().results
    drawn = {module: draw_first(module, folders) for module in figures.ALL}
    lacking = [module.NAME for module, found in drawn.items() if found is None]
    if lacking:
        print(f"gallery: none of these folders has data for {', '.join(lacking)}; prices give frontier (scenarios/spot.json), "
              "--trace gives gantt and, where machines fail, failures", file=sys.stderr)
        sys.exit(2)
    pictures = HERE / "gallery"
    pictures.mkdir(exist_ok=True)
    for module, (fig, folder) in drawn.items():
        write_picture(fig, pictures / f"{module.NAME}.png")
        print(f"{module.NAME}: {folder}")
    page = opening(folders) + [line for module, (_, folder) in drawn.items() for line in section(module, folder)]
    write_text(HERE / "GALLERY.md", "\n".join(page))


if __name__ == "__main__":
    main()
