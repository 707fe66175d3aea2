"""Answers that Mechanical Turk writes in other ways than one cell each: all in one cell of JSON (`Answer.taskAnswers`),
or a column of true and false for every option (`Answer.quality.4`, `Answer.good.true`)."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from data.formats.parts.format import Aside
from data.formats.parts.table import Cells, Table

_JSON = "answer.taskanswers"
_ANSWER = "Answer."
_MARKS = {"true": True, "false": False, "on": True, "": False}
_MOST_ANSWERS, _DEEPEST = 500, 4
_SHARE = 0.9
"""The rows, of those that mark any option, that mark exactly one."""


@dataclass(frozen=True)
class _Told(Table):
    """A table whose answers stand in cells of their own."""

    columns: tuple[str, ...] = ()
    made_of: Callable[[Cells], Cells] = field(default=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return self.columns

    @cached_property
    def lower(self) -> frozenset[str]:
        return frozenset(name.casefold() for name in self.columns)

    def first_rows(self) -> Iterator[Cells]:
        for row in self._as_it_stands.first_rows():
            yield self.made_of(row)

    def all_rows(self) -> Iterator[tuple[int, Cells] | Aside]:
        for row in self._as_it_stands.all_rows():
            yield row if isinstance(row, Aside) else (row[0], self.made_of(row[1]))

    @property
    def _as_it_stands(self) -> Table:
        return Table(self.text, self.sniffed, self.sample)


def told_apart(table: Table) -> Table:
    """The table with one column for each answer; itself where it has that already."""
    return _options_folded(_json_unfolded(table))


def _json_unfolded(table: Table) -> Table:
    holder = next((name for name in table.names if name.casefold() == _JSON), None)
    if holder is None:
        return table
    answers = list(dict.fromkeys(name for row in table.first_rows() for name in _answers_in(row[holder])))
    kept = tuple(name for name in table.names if name != holder)
    added = tuple(name for name in answers if name not in kept)[:_MOST_ANSWERS]

    def of(row: Cells) -> Cells:
        told = _answers_in(row[holder])
        return {**{name: row[name] for name in kept}, **{name: told.get(name, "") for name in added}}

    return _Told(table.text, table.sniffed, table.sample, (*kept, *added), of) if added else table


def _answers_in(cell: str) -> dict[str, str]:
    """The answers in a cell of JSON, by the names that columns of their own would have."""
    try:
        told = json.loads(cell) if cell else {}
    except (ValueError, RecursionError):
        return {}
    return dict(_leaves(told, "", 0))


def _leaves(told: Any, name: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > _DEEPEST:
        return
    if isinstance(told, list):
        for each in told[:1]:
            yield from _leaves(each, name, depth + 1)
    elif isinstance(told, dict):
        options = [str(option) for option, marked in told.items() if marked is True]
        if name and told and all(isinstance(marked, bool) for marked in told.values()):
            yield _ANSWER + name, options[0] if len(options) == 1 else ""
            return
        if name and set(told) <= {"label", "value"}:
            yield from _leaves(next(iter(told.values()), ""), name, depth + 1)
            return
        for key, value in told.items():
            yield from _leaves(value, f"{name}.{key}" if name else str(key), depth + 1)
    elif name and told is not None:
        yield _ANSWER + name, str(told).lower() if isinstance(told, bool) else str(told).strip()


def _options_folded(table: Table) -> Table:
    rows = list(table.first_rows())
    groups = {
        name: options
        for name, options in _groups(table.prefixed(_ANSWER), rows).items()
        if _one_of(rows, options.values())
    }
    if not groups:
        return table
    folded = {name for options in groups.values() for name in options.values()}
    kept = tuple(name for name in table.names if name not in folded)

    def of(row: Cells) -> Cells:
        return {
            **{name: row[name] for name in kept},
            **{name: _marked(row, options) for name, options in groups.items()},
        }

    made_of = (lambda row: of(table.made_of(row))) if isinstance(table, _Told) else of
    return _Told(table.text, table.sniffed, table.sample, (*kept, *groups), made_of)


def _groups(names: Iterable[str], rows: list[Cells]) -> Mapping[str, Mapping[str, str]]:
    """Columns of true and false, by the answer that they are options of: its name, and each option's column."""
    groups: dict[str, dict[str, str]] = {}
    for name in names:
        cells = {row[name].casefold() for row in rows}
        if cells <= set(_MARKS) and cells & {"true", "on"}:
            parts = name[len(_ANSWER) :].split(".")
            parts = parts[:-1] if len(parts) > 1 and parts[-1].casefold() in ("true", "on") else parts
            *of, option = parts
            groups.setdefault(_ANSWER + (".".join(of) or "answer"), {})[option] = name
    return {name: options for name, options in groups.items() if len(options) > 1}


def _one_of(rows: list[Cells], columns: Iterable[str]) -> bool:
    marked = [sum(_MARKS[row[name].casefold()] for name in columns) for row in rows]
    told = [number for number in marked if number]
    return bool(told) and sum(number == 1 for number in told) >= _SHARE * len(told)


def _marked(row: Cells, options: Mapping[str, str]) -> str:
    """The one option that a row marks; nothing where it marks none or several."""
    told = [option for option, name in options.items() if _MARKS.get(row[name].casefold(), False)]
    return told[0] if len(told) == 1 else ""
