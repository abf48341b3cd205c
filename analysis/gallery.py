#!/usr/bin/env python3
"""Writes the gallery: every figure, drawn from the first results folder that has data for it.

    python3 analysis/gallery.py results/quickstart results/uneven

Makes analysis/GALLERY.md and analysis/gallery/*.png anew."""
import argparse
import pathlib
import shlex

import matplotlib.pyplot as plt

from pictures import figures
from pictures.results import NoData, Results
from pictures.style import Look

HERE = pathlib.Path(__file__).resolve().parent
DPI = 120  # enough for a screen, small enough to be kept in the repository


def draw_first(module, folders):
    """The figure from the first folder that has it, and that folder; None when none has."""
    for folder in folders:
        try:
            results = Results(folder)
            return module.draw(results, Look(results.algorithms)), folder
        except NoData:
            continue
    return None


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
            "Every figure of `./motley report` and how to read it. An algorithm has the same colour and marker in all of them",
            "(Okabe and Ito's palette, which the colour-blind can tell apart); bars start at zero; logarithmic axes say so.",
            "Made by:", "", "```sh"]
    page += [command_of(folder) for folder in folders]
    page += [f"python3 analysis/gallery.py {' '.join(folders)}", "```", ""]
    for module in figures.ALL:
        page += [f"## {module.TITLE}", ""]
        drawn = draw_first(module, folders)
        if drawn is None:
            raise SystemExit(f"gallery: none of these folders has data for '{module.NAME}'")
        fig, folder = drawn
        fig.savefig(pictures / f"{module.NAME}.png", dpi=DPI, bbox_inches="tight", pad_inches=0.03)
        plt.close(fig)
        page += [f"![{module.TITLE}](gallery/{module.NAME}.png)", "", module.HOW_TO_READ, "",
                 f"*{module.NAME}, from {folder}*", ""]
        print(f"{module.NAME}: {folder}")
    (HERE / "GALLERY.md").write_text("\n".join(page))


if __name__ == "__main__":
    main()
