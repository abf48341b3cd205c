"""The modules that draw figures and reports: beside this package in a checkout, inside it where it is installed."""
from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

_HOME = "motley.pictures" if importlib.util.find_spec("motley.pictures") else "pictures"


def module(name: str) -> ModuleType:
    """pictures.NAME."""
    return importlib.import_module(f"{_HOME}.{name}")
