"""The parts of a report before it becomes a file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import pandas as pd

from features.blocks import Finding, Status
from features.cache import Stopped
from features.plotting.export import look_of
from features.plotting.theme import Look, PlotlyFigure
from features.words import Printed, Sentence, Shown, printed

T = TypeVar("T")
LOOK = Look()
"""Figures on paper: dark on white."""
MOST_ROWS, FEW = 60, 5
"""Rows of a table that are printed, and how many more make no cut worth it."""
EACH = "Group by group"
MADE = "Appendix: how this report was made"


@dataclass(frozen=True, eq=False)
class Table:
    """A table with its caption; `name` is that of its file, `full` what belongs into that: every column, unrounded.

    A table that a page folds is only in its file.
    """

    name: str
    caption: Sentence
    shown: Shown
    columns: Sequence[str] | None = None
    full: pd.DataFrame | None = None
    notes: Sequence[Sentence] = ()
    is_folded: bool = False

    @property
    def whole(self) -> Printed:
        """All rows, for a separate file."""
        return printed(self.shown, self.columns, self.notes)

    @property
    def printed(self) -> Printed:
        """The first rows of a long table, all of a short one, for the report."""
        whole = self.whole
        more = len(whole.rows) - MOST_ROWS
        if more <= FEW:
            return whole
        rest = f"{more} further rows are in the file of this table ({self.name}.csv, and results.json)."
        return replace(whole, rows=whole.rows[:MOST_ROWS], notes=(rest, *whole.notes))

    @property
    def numbers(self) -> pd.DataFrame:
        """The unrounded numbers of the file."""
        return self.shown[0] if self.full is None else self.full


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with its caption; `name` is that of its file, `draw` makes it for the look that its width asks for."""

    name: str
    caption: Sentence
    draw: Callable[[Look], PlotlyFigure | None]

    @cached_property
    def figure(self) -> PlotlyFigure:
        """The figure for the report."""
        return given(self.draw(LOOK))

    def at(self, width_mm: float) -> PlotlyFigure:
        """Return the figure for a column of a paper."""
        return given(self.draw(look_of(width_mm)))


@dataclass(frozen=True, eq=False)
class Section:
    """One part of a report: findings first, then pictures and tables, warnings, and how all of it was computed.

    `details` say of each group what `findings` say of all; `cited` are keys of `report.parts.sources`.
    """

    name: str
    title: str
    findings: Sequence[Finding] = ()
    details: Sequence[Finding] = ()
    pictures: Sequence[Picture] = ()
    tables: Sequence[Table] = ()
    warnings: Sequence[Sentence] = ()
    notes: Sequence[Sentence] = ()
    methods: Sequence[Sentence] = ()
    cited: Sequence[str] = ()

    @property
    def concludes(self) -> bool:
        """False for sections that describe the data or a study to come."""
        return self.name not in ("data", "planning", "collection", "heds")

    @property
    def printed_tables(self) -> list[Table]:
        """Tables that the report prints."""
        return [table for table in self.tables if not table.is_folded]

    @property
    def file_notes(self) -> list[Sentence]:
        """Sentences that name the files of the other tables."""
        return [
            (f"{table.caption[0]} This table is in tables/{table.name}.csv.", table.caption[1])
            for table in self.tables
            if table.is_folded
        ]


MOST_IN_SUMMARY = 5
IMPORTANT = (
    "groups",
    "repetitions",
    "agreement",
    "systems",
    "raters",
    "workers",
    "standing-in",
    "comprehension",
    "relevance",
)
"""Sections whose answers a summary holds first, in this order."""


def _rank(name: str) -> int:
    """Return the place of a section in a summary; a section of several pages has its page's name first."""
    places = (at for at, important in enumerate(IMPORTANT) if name.startswith(important))
    return next(places, len(IMPORTANT))


@dataclass(frozen=True, eq=False)
class Report:
    """A whole report. `facts` say what it rests on (name and value), `settings` what was asked of it."""

    title: str
    notes: str
    sections: Sequence[Section]
    facts: Sequence[tuple[str, str]]
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def cited(self) -> list[str]:
        """The sources of all sections, each once."""
        return list(dict.fromkeys(key for section in self.sections for key in section.cited))

    @property
    def summary(self) -> list[tuple[Section, Finding]]:
        """The first findings of the most important sections that answer their question, with these sections."""
        opened = [(each, each.findings[0]) for each in self.sections if each.findings and each.concludes]
        told = [(each, one) for each, one in opened if one.status in (Status.CLEAR, Status.UNCERTAIN)]
        return sorted(told, key=lambda pair: _rank(pair[0].name))[:MOST_IN_SUMMARY]


def evidence_of(finding: Finding) -> Sentence:
    """Return the evidence line with the status word at its end; empty where a finding has no evidence.

    >>> evidence_of(Finding(("Crowd and lab agree.", {}), ("{n} items", {"n": 50})))
    ('{n} items · <b>clear</b>', {'n': 50})
    """
    template, values = finding.evidence
    if not template or not finding.status.grade:
        return finding.evidence
    return f"{template} · <b>{finding.status.grade}</b>", values


def given(answer: T | None) -> T:
    """Return what was computed; raise `Stopped` where it was not."""
    if answer is None:
        raise Stopped
    return answer
