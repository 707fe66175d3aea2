"""Recorded content of tables and figures: their numbers, and the texts that are names in the data."""

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from tests.golden.sources import key_of

Block = dict[str, Any]
"""`name` of a table or figure; `parts`, its columns or traces: pairs of a name and values by field."""
LONGEST = 40
"""Characters of a name; a longer text is replaced by its hash."""
FIELDS = (
    *("x", "y", "z", "x0", "dx", "y0", "dy", "r", "theta", "values", "labels", "parents", "ids", "base"),
    *("text", "customdata", "q1", "median", "q3", "lowerfence", "upperfence", "mean", "sd"),
)
"""What a trace shows; colors, hover texts and legends are style or prose."""
ERRORS = ("array", "arrayminus", "value", "valueminus")
POSITIONS = ("x0", "x1", "y0", "y1")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
RESULT = re.compile(r"|[A-Z]+|[*]+|yes|no")
"""Texts that are results, such as the letters of systems that do not differ, and empty cells."""


class Names:
    """The names in a study's data, which tell labels from prose."""

    def __init__(self, keys: frozenset[str]) -> None:
        self._keys = keys - {""}

    def label(self, text: object) -> str:
        """Return a text that is a name in the data, shortened where it is long; "" for prose."""
        plain = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", str(text))).split())
        if key_of(plain) not in self._keys or NUMBER.fullmatch(plain):
            return ""
        return plain if len(plain) <= LONGEST else f"#{sha256(plain.encode()).hexdigest()[:12]}"

    def value(self, cell: object) -> Any:
        """Return a cell as JSON has it: a number, a name, the numbers in a sentence, or None if undefined."""
        if isinstance(cell, Mapping):
            return (
                self.value(decoded(cell)) if "bdata" in cell else [self.value(one) for one in cell.values()]
            )
        if isinstance(cell, np.ndarray):
            return self.value(cell.tolist())
        if isinstance(cell, list | tuple):
            return [self.value(one) for one in cell]
        if cell is None or cell is pd.NA or cell is pd.NaT or cell != cell:
            return None
        if isinstance(cell, np.generic):
            cell = cell.item()
        if isinstance(cell, float) and abs(cell) == float("inf"):
            return f"{cell}"
        if isinstance(cell, int | float):
            return cell
        text = str(cell).strip()
        return text if RESULT.fullmatch(text) else self.label(text) or numbers_in(text)


def numbers_in(text: str) -> list[float]:
    """Return the numbers in a sentence, whatever separates thousands and whichever minus they have."""
    plain = html.unescape(re.sub(r"<[^>]*>", " ", text)).replace("\u2212", "-")
    plain = re.sub(r"(?<=\d)[\u202f\u2009,](?=\d{3}(?!\d))", "", plain)
    return [float(one) for one in NUMBER.findall(plain)]


def decoded(array: Mapping[str, Any]) -> np.ndarray:
    """Return a typed array of Plotly as NumPy's."""
    values = np.frombuffer(base64.b64decode(array["bdata"]), dtype=array["dtype"])
    shape = array.get("shape")
    return values if shape is None else values.reshape([int(n) for n in str(shape).split(",")])


def table(name: str, columns: Iterable[tuple[str, Iterable[object]]], names: Names) -> Block:
    """Return a table by its columns; a head counts where it is a name in the data."""
    parts = [
        [head, _labelled(head, {"cells": [names.value(one) for one in cells]}, names)]
        for head, cells in columns
    ]
    return {"name": name, "parts": parts}


def figure(name: str, spec: Mapping[str, Any], names: Names) -> Block:
    """Return a figure by its traces, then the labels and lines of its axes."""
    parts = []
    for trace in spec.get("data", ()):
        shown = {key: names.value(trace[key]) for key in FIELDS if key in trace}
        for key in ("error_x", "error_y"):
            errors = trace.get(key) or {}
            shown |= {f"{key}.{one}": names.value(errors[one]) for one in ERRORS if one in errors}
        called = str(trace.get("name", ""))
        parts.append([called, _labelled(called, shown, names)])
    return {"name": name, "parts": [*parts, ["axes", _axes(spec.get("layout", {}), names)]]}


def figure_in(name: str, page: str, names: Names) -> Block:
    """Return the figure of an exported HTML page."""
    decoder, at = json.JSONDecoder(), page.index("Plotly.newPlot(") + len("Plotly.newPlot(")
    arguments: list[Any] = []
    while len(arguments) < 3:
        at = re.compile(r"[\s,]*").match(page, at).end()  # type: ignore[union-attr]
        value, at = decoder.raw_decode(page, at)
        arguments.append(value)
    return figure(name, {"data": arguments[1], "layout": arguments[2]}, names)


def _labelled(name: str, values: dict[str, Any], names: Names) -> dict[str, Any]:
    label = names.label(name)
    return {"label": label, **values} if label else values


def _axes(layout: Mapping[str, Any], names: Names) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for axis in sorted(key for key in layout if re.fullmatch(r"[xy]axis\d*", key)):
        for key in ("categoryarray", "ticktext"):
            ticks = names.value(layout[axis].get(key) or [])
            if any(isinstance(one, str) for one in ticks):
                shown[f"{axis}.{key}"] = ticks
    heads = [names.label(one.get("text", "")) for one in layout.get("annotations", ())]
    shapes = [[names.value(one.get(key)) for key in POSITIONS] for one in layout.get("shapes", ())]
    if any(heads):
        shown["heads"] = [head for head in heads if head]
    if shapes:
        shown["shapes"] = shapes
    return shown
