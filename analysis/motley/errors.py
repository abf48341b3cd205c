"""What can go wrong, as exceptions."""
from __future__ import annotations

from typing import Any, Mapping, Optional


class MotleyError(Exception):
    """The program ended with an error. `exit_code` is its own."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class InputError(MotleyError):
    """Something in the scenario, an option or a file cannot be used. Where the mistake is inside a file, `file` names it and
    `pointer` is the JSON pointer to the place; of a scenario that was given as a dictionary, `file` is None."""

    def __init__(self, message: str, file: Optional[str] = None, pointer: Optional[str] = None) -> None:
        super().__init__(message, 2)
        self.file = file
        self.pointer = pointer


class RunFailed(MotleyError):
    """Runs failed, or something that was asked of the results does not hold. What was finished is in `results`."""

    def __init__(self, message: str, results: Any = None) -> None:
        super().__init__(message, 1)
        self.results = results


class ProgramNotFound(MotleyError):
    """There is no program motley here."""


def error_of(document: Mapping[str, Any], scenario_file: Optional[str] = None) -> MotleyError:
    """The exception for what a command with --json printed. `scenario_file`: where a scenario was written that was given as
    a dictionary; nobody knows that file."""
    error = document["error"]
    message, file = str(error["message"]), error.get("file")
    if scenario_file is not None:
        message = message.replace(f"{scenario_file}: ", "scenario: ")
        file = None if file == scenario_file else file
    if error.get("exit_code") == 2:
        return InputError(message, file, error.get("pointer"))
    return MotleyError(message, int(error.get("exit_code", 1)))
