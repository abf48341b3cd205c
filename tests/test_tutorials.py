"""The tutorials: every command of theirs is run, in their order, as it stands there. The program is MOTLEY_BINARY."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ["MOTLEY_BINARY"]).resolve()


def commands(name):
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^```bash\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))


class Tutorials(unittest.TestCase):
    def follow(self, name):
        """What is left in the folder, by name."""
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        folder = pathlib.Path(place.name)
        (folder / "bin").mkdir()
        (folder / "bin/motley").symlink_to(PROGRAM)
        (folder / "bin/python3").symlink_to(sys.executable)
        environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "analysis"),
                       "MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1", "CMAKE_GENERATOR": "Ninja",
                       "Motley_DIR": str(PROGRAM.parent / "cmake")}
        done = subprocess.run(["bash", "-eu", "-c", commands(name)], cwd=folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        return folder, done.stdout

    def test_a_cluster_owner_comes_to_a_decision(self):
        folder, said = self.follow("tutorial_cluster.md")
        page = (folder / "results/mine/report.html").read_text()
        self.assertIn("<h2>What to do</h2>", page)
        self.assertIn("cost to target", said)
        self.assertIn('/cluster/workers: ', said)  # what diff tells of the cards that were left out
        self.assertIn("holds: async.reached == 3", said)
        for name in ("without_t4", "links"):
            self.assertTrue((folder / "results" / name / "summary.csv").is_file(), name)

    def test_a_researcher_comes_to_a_figure_and_a_table(self):
        folder, said = self.follow("tutorial_research.md")
        self.assertTrue((folder / "sweep.pdf").read_bytes().startswith(b"%PDF"))
        table = (folder / "table.tex").read_text()
        for name in ("sync", "async", "careful"):
            self.assertIn(f"\n{name}", table)
        self.assertIn("holds: careful.final_test_loss == async.final_test_loss", said)


if __name__ == "__main__":
    unittest.main()
