"""The program: where it is, and how its commands are called."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any, Dict, List, Optional, Sequence

from .errors import MotleyError, ProgramNotFound, error_of

VARIABLE = "MOTLEY_BINARY"


def find_program() -> str:
    """MOTLEY_BINARY if it is set; or else the launcher of the checkout that this package is in, which builds the program
    when it must; or else motley on the PATH."""
    given = os.environ.get(VARIABLE)
    if given:
        if not pathlib.Path(given).is_file():
            raise ProgramNotFound(f"{VARIABLE}: {given} is no file")
        return given
    checkout = pathlib.Path(__file__).resolve().parent.parent.parent
    launcher = checkout / "motley"
    if launcher.is_file() and (checkout / "CMakeLists.txt").is_file():
        return str(launcher)
    installed = shutil.which("motley")
    if installed:
        return installed
    raise ProgramNotFound(f"there is no program motley: set {VARIABLE}, or put it on the PATH")


def plugin_options(plugins: Sequence[str]) -> List[str]:
    """These libraries as the program's options."""
    words: List[str] = []
    for plugin in plugins:
        words += ["--plugin", os.fspath(plugin)]
    return words


def ask(words: Sequence[str], scenario_file: Optional[str] = None) -> Dict[str, Any]:
    """What a command with --json prints."""
    done = subprocess.run([find_program(), *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return document_of(done.stdout, done.stderr.decode(errors="replace"), done.returncode, scenario_file)


def call(words: Sequence[str]) -> str:
    """What a command prints; MotleyError with what it said on stderr when it fails."""
    done = subprocess.run([find_program(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise MotleyError(_complaint(done.stderr.decode(errors="replace"), done.returncode), done.returncode)
    return done.stdout.decode(errors="replace")


def document_of(out: bytes, err: str, code: int, scenario_file: Optional[str] = None) -> Dict[str, Any]:
    """The document on stdout. Raises what it says of an error; without a document, what is on stderr."""
    try:
        document = json.loads(out)
    except ValueError:
        raise MotleyError(_complaint(err, code), code) from None
    if not isinstance(document, dict):
        raise MotleyError(f"motley printed no JSON object: {out[:200]!r}", code)
    if "error" in document:
        raise error_of(document, scenario_file)
    return document


def _complaint(err: str, code: int) -> str:
    lines: List[str] = [line for line in err.splitlines() if line.strip()]
    return lines[-1].removeprefix("motley: ") if lines else f"motley ended with exit code {code} and said nothing"
