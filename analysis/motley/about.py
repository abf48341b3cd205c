"""What the program knows: its algorithms, the keys of a scenario, the columns of its results."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Sequence

import pandas as pd

from .program import ask, call, plugin_options


def algorithms(word: Optional[str] = None, *, plugins: Sequence[str] = ()) -> pd.DataFrame:
    """The algorithms, one per row, by name; with a word only those of that name, of that family, or with it in their
    description. With `plugins`, those of these libraries, too. The column `parameters` has a list of dictionaries: name, doc, default, must_be, schema."""
    listed: List[Dict[str, Any]] = ask(["algorithms", *([word] if word else []), *plugin_options(plugins)])["algorithms"]
    return pd.DataFrame(listed).set_index("name")


def schema(*, plugins: Sequence[str] = ()) -> Dict[str, Any]:
    """The JSON Schema of scenarios, with what these libraries bring."""
    return _object(call(["schema", *plugin_options(plugins)]))


def columns() -> Dict[str, Any]:
    """What each CSV file of a results folder has in its rows and columns: name, kind, unit, doc."""
    return _object(call(["columns", "--json"]))


def version() -> str:
    """Of the program: "motley 0.2.0 (commit)"."""
    return call(["--version"]).strip()


def _object(text: str) -> Dict[str, Any]:
    value: Dict[str, Any] = json.loads(text)
    return value
