"""Programs of pages, as visitors copy them: run unchanged, and their numbers compared with the page's."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from analysis.values.estimate import Estimate
from data.formats.readers import sniff
from data.mapping.proposal import propose
from features import cache
from features.cache import CACHE_BYTES, ResultCache
from features.plotting.theme import counts, interval, interval_text, points, share
from tests.sample_database import sample_database
from ui.elements import store

Results = dict[Any, Any]
NO_INTERVAL = interval(Estimate(0.0))


def ran(app: AppTest, empty: bool = False) -> Results:
    """Return the results of the page's program.

    Its database holds the built-in studies already, unless it is to be `empty`: to make them takes longer than the
    rest.
    """
    app.session_state["show_code"] = True
    app.run()
    assert not app.exception
    (code,) = [block.value for block in app.code]
    left: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "CACHE", ResultCache(CACHE_BYTES))  # it computes anew what the page has computed
        if not empty:
            patch.setattr("tempfile.mkdtemp", folder_with_samples)
        exec(compile(code, "show_code.py", "exec"), left)
    if "store" in left:
        left["store"].close()
    results: Results = left["results"]
    assert results
    return results


def folder_with_samples(*given: Any, prefix: str | None = None) -> str:
    """Return a new folder; that of a program, which names its prefix, holds a database with the built-in studies."""
    if prefix is None:
        return mkdtemp(*given)
    folder = mkdtemp(prefix=prefix)
    Path(folder, "study.duckdb").write_bytes(sample_database())
    return folder


def tables(app: AppTest) -> list[pd.DataFrame]:
    """The tables of the page, from top to bottom."""
    return [frame.value for frame in app.dataframe]


def own_file(file: Path, kind: str = "ratings") -> str:
    """A reader's key to what a visitor would upload: its program opens the file by name."""
    mapping = propose(sniff(file), kind).mapping
    return store().link(store().add(file, kind, mapping, "mine", file=file.name).id)


def said(app: AppTest) -> str:
    """The sentences of the page."""
    return " ".join(element.proto.body for element in app.get("html"))


def not_computed(app: AppTest, found: Results, but: tuple[str, ...] = ()) -> dict[str, list[object]]:
    """By column, the numbers and intervals in the tables of a page that its program does not find.

    Columns named `but` are no results: numbers of answers, for example, that a share rests on.
    """
    lacking: dict[str, list[object]] = {}
    looked_at = 0
    known = _numbers(found)
    told = {form for one in _estimates(found) for form in _written(one)}
    for at, table in enumerate(tables(app)):
        for column in table.columns.difference(but):
            cells = table[column].dropna()
            if pd.api.types.is_numeric_dtype(cells):
                apart = _apart(cells.to_numpy(dtype=float), known)
            elif "95%" in column or "95% CI" in column:
                apart = [cell for cell in cells if cell != NO_INTERVAL and cell not in told]
                apart = [cell for cell in apart if not str(cell).startswith("lower than")]  # a rank
            else:
                continue
            looked_at += len(cells)
            if apart:
                lacking[f"{column} of table {at}"] = apart
    assert looked_at > 3, "the page shows next to nothing"
    return lacking


def _apart(shown: np.ndarray, known: np.ndarray) -> list[object]:
    if not len(shown):
        return []
    nearest = known[np.abs(known[None, :] - shown[:, None]).argmin(axis=1)]
    return list(shown[~np.isclose(shown, nearest, rtol=1e-9, atol=1e-12)])


def _numbers(left: object) -> np.ndarray:
    known = [
        number
        for leaf in _leaves(left)
        for number in (leaf.ravel().tolist() if isinstance(leaf, np.ndarray) else [leaf])
        if isinstance(number, (int, float, np.number)) and np.isfinite(number)
    ]
    return np.unique(np.array(known, dtype=float))


def _estimates(left: object) -> list[Estimate]:
    return [leaf for leaf in _leaves(left) if isinstance(leaf, Estimate)]


def _leaves(left: object) -> Iterator[object]:
    """Everything within what a program leaves, however deep."""
    yield left
    if isinstance(left, dict):
        parts = [*left.keys(), *left.values()]
    elif is_dataclass(left):
        parts = [getattr(left, field.name) for field in fields(left)]
    else:
        parts = list(left) if isinstance(left, (list, tuple)) else []
    for part in parts:
        yield from _leaves(part)


def _written(one: Estimate) -> set[str]:
    """An interval in every form that tables write it in."""
    return {
        *(interval_text(one, partial(share, digits=digits)) or NO_INTERVAL for digits in (0, 1, 2, 3)),
        *(interval(one, digits) for digits in (0, 1, 2, 3)),
        points(one),
        counts(one),
    }
