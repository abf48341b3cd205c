"""All figures of a results folder, or of some of its algorithms."""
import pathlib

from . import figures
from .look import Look
from .results import NoData
from .style import FORMATS, save


def draw_all(results, folder, only=None, look=None, formats=FORMATS):
    """Writes the figures and returns (drawn modules, [(module, reason it was left out)])."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    look = look or Look.of(results)
    drawn, left_out = [], []
    for module in figures.ALL:
        if only and module.NAME not in only:
            continue
        try:
            save(module.draw(results, look), folder, module.NAME, formats)
            drawn.append(module)
        except NoData as reason:
            left_out.append((module, str(reason)))
    return drawn, left_out


def keep_only(results, labels):
    """Leaves out all other algorithms."""
    for name in ("runs", "summary", "bands", "comparisons", "tuned", "whatif"):
        table = getattr(results, name)
        setattr(results, name, table[table["algorithm"].isin(labels)].reset_index(drop=True))
    results.curves = results.curves[results.curves["run"].isin(results.runs["run"])].reset_index(drop=True)
    results.algorithms = [label for label in results.algorithms if label in labels]
