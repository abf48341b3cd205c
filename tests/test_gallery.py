"""analysis/GALLERY.md: whether it shows every figure with the words of the report, and can be drawn anew."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

import gallery
from pictures import figures
from results_fixture import write_results

DRAW_IT = "draw it anew: python3 analysis/gallery.py FOLDERS, which its first lines name"


class Gallery(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = (ROOT / "analysis" / "GALLERY.md").read_text(encoding="utf-8")

    def test_every_figure_is_in_it_in_order_with_the_words_of_the_report(self):
        from_folder = dict(re.findall(r"^\*(\w+), from (\S+)\*$", self.page, re.MULTILINE))
        self.assertEqual(list(from_folder), [module.NAME for module in figures.ALL], DRAW_IT)
        told = "\n".join(line for module in figures.ALL for line in gallery.section(module, from_folder[module.NAME]))
        self.assertEqual(self.page[self.page.index("## "):], told, DRAW_IT)

    def test_every_picture_is_there_and_no_other(self):
        pictures = {file.name for file in (ROOT / "analysis" / "gallery").iterdir()}
        self.assertEqual(pictures, {f"{module.NAME}.png" for module in figures.ALL}, DRAW_IT)

    def test_it_names_the_commands_that_made_it(self):
        commands = re.search(r"```sh\n(.*?)```", self.page, re.DOTALL)[1].splitlines()
        drawn_from = commands[-1].removeprefix("python3 analysis/gallery.py ").split()
        self.assertTrue(all(command.startswith("./motley run scenarios/") for command in commands[:-1]), commands)
        self.assertEqual(len(drawn_from), len(commands) - 1)
        self.assertLessEqual(set(re.findall(r", from (\S+)\*$", self.page, re.MULTILINE)), set(drawn_from))

    def test_without_data_for_some_figure_nothing_is_written_and_it_is_named(self):
        with tempfile.TemporaryDirectory() as place:
            folder = write_results(pathlib.Path(place) / "plain", replicas=2)
            told = subprocess.run([sys.executable, "-B", ROOT / "analysis" / "gallery.py", folder], capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stdout), (2, ""))
        self.assertIn("none of these folders has data for frontier, sweep, best, final, tuning, whatif, failures;", told.stderr)
        self.assertEqual((ROOT / "analysis" / "GALLERY.md").read_text(encoding="utf-8"), self.page)


if __name__ == "__main__":
    unittest.main()
