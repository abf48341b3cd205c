"""What README.md and the other documents say works: links, commands, scenarios, code, generated tables.

usage: test_docs.py MOTLEY SOURCE_DIR
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import unittest

MOTLEY, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
DOCUMENTS = [SOURCE / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    path for folder in ("docs", "analysis", "scenarios", "platforms") for path in (SOURCE / folder).rglob("*.md"))

# What makes a documented run a matter of milliseconds, and lets it reach a target.
SHORTER = ["--set", '/stop={"updates": 20}', "--set", "/replicas=1", "--set", '/evaluate={"every": 5}']
EASIER = ["--set", '/target={"accuracy": 0.2}']
TUNED_LESS = ["--set", "/tune/runs=4", "--set", "/tune/at=first_point"]


def blocks(path, language):
    """The fenced blocks of a document in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(), re.DOTALL | re.MULTILINE)


def without_code(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(path):
    """What a link may name after '#': every heading as the usual viewers write it."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def motley(*arguments, folder="."):
    return subprocess.run([MOTLEY, *arguments], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def is_tuned_scenario(word):
    return word.startswith("scenarios/") and "tune" in json.loads((SOURCE / word).read_text())


def learns_nothing(words):
    """Whether the scenario of a command line is one of times alone."""
    files = [SOURCE / word for word in words if word.startswith("scenarios/")]
    return any(json.loads(file.read_text(encoding="utf-8"))["model"]["kind"] == "none" for file in files)


def as_tested(words):
    """A documented command line of motley, shortened; None when another test runs it."""
    if words[0] == "run":
        easier = [] if any(word.startswith("/target") for word in words) or learns_nothing(words) else EASIER
        tuned_less = TUNED_LESS if any(map(is_tuned_scenario, words)) else []
        return [word for word in words if word != "--report"] + SHORTER + easier + tuned_less
    if words[0] == "slurm":
        return ["--dry-run" if word == "--submit" else word for word in words]
    if words[0] in ("bench", "report"):  # bench_short, report_of_a_run
        return [words[0], "--help"]
    return None if words[0] == "test" else words


class Links(unittest.TestCase):
    def test_every_relative_link_leads_somewhere(self):
        for document in DOCUMENTS:
            # Alternative texts may have brackets, targets may not.
            for target in re.findall(r"\]\(([^)\s]+)\)", without_code(document.read_text())):
                if re.match(r"[a-z]+:", target):
                    continue
                with self.subTest(document=document.name, target=target):
                    file, _, anchor = target.partition("#")
                    path = document.parent / file if file else document
                    self.assertTrue(path.exists(), "no such file")
                    if anchor:
                        self.assertIn(anchor, anchors(path))

    def test_no_two_headings_of_a_document_have_the_same_name(self):
        for document in (SOURCE / "docs").glob("*.md"):
            names = anchors(document)
            self.assertEqual(len(names), len(set(names)), f"{document.name}: {sorted(names)}")

    def test_every_document_in_docs_is_in_the_readme(self):
        readme = (SOURCE / "README.md").read_text()
        for document in (SOURCE / "docs").glob("*.md"):
            self.assertIn(f"(docs/{document.name})", readme)


class Generated(unittest.TestCase):
    def test_generated_parts_are_what_the_program_prints(self):
        check = subprocess.run([SOURCE / "docs" / "generate.sh", "--check", MOTLEY], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)

    def test_the_readmes_algorithm_is_part_of_the_one_that_is_compiled(self):
        source = textwrap.dedent((SOURCE / "docs" / "patient.cpp").read_text())
        code, = blocks(SOURCE / "README.md", "cpp")
        self.assertIn(textwrap.indent(code, "  "), source)


class Verbs(unittest.TestCase):
    def test_every_verb_is_in_its_table(self):
        document = (SOURCE / "docs" / "extending.md").read_text()
        for name in ("worker", "server"):
            header = re.sub(r"//.*", "", (SOURCE / "sim" / "vocabulary" / f"{name}.hpp").read_text())
            body = header[header.index(f"class {name.capitalize()} {{"):]
            public = body[:re.search(r"^ protected:|^};", body, re.MULTILINE).start()]
            verbs = set(re.findall(r"^  [\w:<>,&* ]*?[ &*>](\w+)\(", public, re.MULTILINE))
            table = document[document.index(f"| [{name.capitalize()}]"):].split("\n\n")[0]
            self.assertGreater(len(verbs), 20)
            for verb in sorted(verbs):
                with self.subTest(table=name, verb=verb):
                    self.assertIn(f"`{verb}`", table)


class Scenarios(unittest.TestCase):
    def test_every_scenario_is_valid_and_every_part_fits_into_the_readmes(self):
        whole = json.loads(blocks(SOURCE / "README.md", "json")[0])
        shown = [(document, text) for document in DOCUMENTS for text in blocks(document, "json")]
        self.assertGreaterEqual(len(shown), 4)
        for document, text in shown:
            with self.subTest(document=document.name, text=text), tempfile.TemporaryDirectory() as folder:
                part = json.loads(text if text.startswith("{") else "{" + text + "}")
                file = pathlib.Path(folder) / "shown.json"
                file.write_text(json.dumps({**whole, **part}))
                result = motley("validate", str(file))
                self.assertEqual(result.returncode, 0, result.stderr)


class Commands(unittest.TestCase):
    def test_every_command_in_a_block_works(self):
        count = 0
        for document in DOCUMENTS:
            with tempfile.TemporaryDirectory() as folder:
                for name in ("scenarios", "platforms", "analysis"):
                    os.symlink(SOURCE / name, pathlib.Path(folder) / name)
                for line in "".join(blocks(document, "sh")).splitlines():
                    words = shlex.split(line, comments=True)
                    if not words or pathlib.PurePath(words[0]).name != "motley":
                        continue
                    arguments = as_tested(words[1:])
                    if arguments is None:
                        continue
                    count += 1
                    with self.subTest(document=document.name, line=line):
                        result = motley(*arguments, folder=folder)
                        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreaterEqual(count, 10)

    def test_every_command_in_a_sentence_exists_with_its_options_and_files(self):
        helps = {}
        for document in DOCUMENTS:
            for text in re.findall(r"`(?:\./)?motley ([^`]+)`", document.read_text()):
                words = text.replace("...", " ").split()
                if not words or words[0] in ("test", "COMMAND") or words[0].startswith("-"):
                    continue
                with self.subTest(document=document.name, text=text):
                    if words[0] not in helps:
                        helps[words[0]] = motley(words[0], "--help")
                    self.assertEqual(helps[words[0]].returncode, 0)
                    for word in words[1:]:
                        if word.startswith("--"):
                            self.assertRegex(helps[words[0]].stdout, rf"{word}\b")
                        elif word.startswith("scenarios/"):
                            self.assertTrue((SOURCE / word).exists())

    def test_every_script_named_exists(self):
        for document in DOCUMENTS:
            for name in re.findall(r"\b((?:tests|docs|analysis)/\w+\.(?:sh|py|hpp|cpp|md))\b", document.read_text()):
                with self.subTest(document=document.name, name=name):
                    beside = [SOURCE / name, document.parent / name]
                    self.assertTrue(any(path.exists() for path in beside))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
