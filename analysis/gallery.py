#!/usr/bin/env python3
"""Writes the gallery: every figure, drawn from the first results folder that has data for it.

    python3 analysis/gallery.py results/quickstart results/uneven

Makes analysis/GALLERY.md and analysis/gallery/*.png anew; a figure that no folder has data for is left out, and named."""
import argparse
import io
import pathlib
import shlex

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
    picture = Image.open(whole).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    write_file(file, lambda stream: picture.save(stream, format="png", optimize=True))


def command_of(folder):
    """How the folder was made."""
    return shlex.join(["./motley"] + Results(folder).provenance["command"][1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", help="results folders of motley run")
    folders = parser.parse_args().results
    pictures = HERE / "gallery"
    pictures.mkdir(exist_ok=True)
    page = ["# Gallery", "",
            "The figures of `./motley report` and how to read them. An algorithm has the same colour, marker and dashes in every",
            "figure and every scenario; no two algorithms share both marker and dashes, so that they can be told apart without",
            "colours. Classes of workers are greys, blue and brown ones; what a host does is pale. Bars start at zero;",
            "logarithmic axes say so. Made by:", "", "```sh"]
    page += [command_of(folder) for folder in folders]
    page += [f"python3 analysis/gallery.py {' '.join(folders)}", "```", ""]
    for module in figures.ALL:
        drawn = draw_first(module, folders)
        if drawn is None:
            print(f"left out: {module.NAME} (none of these folders has data for it)")
            continue
        fig, folder = drawn
        write_picture(fig, pictures / f"{module.NAME}.png")
        page += [f"## {module.TITLE}", "", f"![{module.TITLE}](gallery/{module.NAME}.png)", "", module.HOW_TO_READ, "",
                 f"*{module.NAME}, from {folder}*", ""]
        print(f"{module.NAME}: {folder}")
    (HERE / "GALLERY.md").write_text("\n".join(page))


if __name__ == "__main__":
    main()
