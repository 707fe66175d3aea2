"""Parts of a report before it becomes a file: blocks of a feature, also by group and with raters left out, and sources.

Sources are in `report/sources.toml`, and become a list in words and BibTeX.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import pandas as pd

from features import blocks
from features.blocks import (
    Block,
    Figure,
    Finding,
    Method,
    Note,
    Status,
    Warning,
    block_key,
    capitalized,
    prefix,
)
from features.cache import Stopped
from features.importing.joining import shares_in, units_of
from features.importing.versions import changes_table, compare_figures, interval_notes, most_changed
from features.plotting.export import look_of
from features.plotting.theme import Look, PlotlyFigure
from features.study import Scenario, Study
from features.words import Printed, Sentence, Shown, Written, cells, listed, plain, printed

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

    `details` say of each group what `findings` say of all; `cited` are keys of `report.blocks`.
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
    """A whole report. `facts` say what it is based on (name and value), `settings` what was asked of it."""

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


_TEX = {"``": "“", "''": "”", '{\\"o}': "ö", '{\\"u}': "ü", '{\\"a}': "ä", "{\\'e}": "é"}


@dataclass(frozen=True)
class Source:
    """A publication: its BibTeX kind and fields."""

    kind: str
    fields: Mapping[str, str]

    @property
    def listed(self) -> str:
        """Entry in the list of sources."""
        given = self.fields
        places = [given.get(name, "") for name in ("journal", "booktitle", "howpublished", "publisher")]
        number = f"({given['number']})" if "number" in given else ""
        issue = f"{given.get('volume', '')} {number}".strip()
        pages = f"pp. {given['pages'].replace('--', '–')}" if "pages" in given else ""
        place = ", ".join(filter(None, [*places, issue, pages]))
        authors = ", ".join(
            " ".join(reversed(author.split(", ", 1))) for author in given["author"].split(" and ")
        )
        text = f"{authors} ({given['year']}). {given['title']}. {place}."
        for tex, letter in _TEX.items():
            text = text.replace(tex, letter)
        return re.sub(r"[{}]", "", text)


def _read_sources() -> dict[str, Source]:
    text = (Path(__file__).parent / "sources.toml").read_text(encoding="utf-8")
    return {key: Source(fields.pop("kind"), fields) for key, fields in tomllib.loads(text).items()}


SOURCES = _read_sources()


def bibtex(keys: Iterable[str]) -> str:
    """Return the entries of these sources."""
    return "\n".join(_entry(key, SOURCES[key]) for key in keys)


def _entry(key: str, source: Source) -> str:
    body = ",\n".join(f"  {name} = {{{value.replace('²', '2')}}}" for name, value in source.fields.items())
    return f"@{source.kind}{{{key},\n{body}\n}}\n"


def section_of(name: str, title: str, section: Iterable[Block], suffix: str = "") -> Section:
    """Return the section of these blocks, of which a later one replaces an earlier one of its name.

    `suffix` is added to the names of the files of figures and tables.
    """
    last: dict[tuple[type, str], Block] = {}
    for block in section:
        last[block_key(block)] = block
    found = list(last.values())
    methods = [block for block in found if isinstance(block, Method)]
    return Section(
        name,
        title,
        findings=[block for block in found if isinstance(block, Finding)],
        pictures=[
            Picture(block.name + suffix, block.caption, block.draw)
            for block in found
            if isinstance(block, Figure)
        ],
        tables=[
            Table(
                block.name + suffix,
                block.caption,
                (block.frame, block.formats),
                block.columns_at_first_sight or None,
                is_folded=bool(block.fold),
            )
            for block in found
            if isinstance(block, blocks.Table)
        ],
        warnings=[block.text for block in found if isinstance(block, Warning)],
        notes=[block.text for block in found if isinstance(block, Note)],
        methods=[method.text for method in methods],
        cited=list(dict.fromkeys(key for method in methods for key in method.sources)),
    )


def _each_once(sentences: Iterable[Sentence]) -> list[Sentence]:
    return list({str(one): one for one in sentences}.values())


def together(parts: Iterable[Section]) -> Section:
    """Return sections of one name as one: everything of each in turn, notes and methods each once."""
    first, *others = parts
    every = [first, *others]
    return Section(
        first.name,
        first.title,
        findings=[one for part in every for one in part.findings],
        details=[one for part in every for one in part.details],
        pictures=[one for part in every for one in part.pictures],
        tables=[one for part in every for one in part.tables],
        warnings=_each_once(one for part in every for one in part.warnings),
        notes=_each_once(one for part in every for one in part.notes),
        methods=_each_once(one for part in every for one in part.methods),
        cited=list(dict.fromkeys(key for part in every for key in part.cited)),
    )


MOST_OF_EACH = 12
"""Rows of a group that are printed where all groups together have many."""


def below_each_other(shown: Mapping[str, Shown], head: str) -> Shown:
    """Return the tables below each other, with a first column of their keys, called `head`."""
    whole = _concatenated({key: table for key, (table, _) in shown.items()}, head)
    written: dict[str, Written] = {head: whole[head].tolist()}
    for column in map(str, whole.columns[1:]):
        texts: list[str] = []
        for table, how in shown.values():
            known = column in table
            texts += cells(table[column], how.get(column)) if known else [""] * len(table)
        written[column] = texts
    return whole, written


def _concatenated(tables: Mapping[str, pd.DataFrame], head: str) -> pd.DataFrame:
    parts = []
    for key, table in tables.items():
        rows = table.reset_index(drop=True).drop(columns=head, errors="ignore")
        rows.insert(0, head, key)
        parts.append(rows)
    return pd.concat(parts, ignore_index=True)


def _about_group(finding: Finding, group: str) -> Finding:
    """Return the finding with its group before the headline, unless that names it."""
    if group.casefold() in plain(finding.headline).casefold():
        return finding
    return prefix(finding, "<b>{this_group}</b>: ", {"this_group": capitalized(group)})


def of_all(parts: Mapping[str, Section], told: Sequence[Finding] = ()) -> list[Section]:
    """Sections of the groups, which say the same of each, as one that begins with what is `told` of all."""
    if len(parts) < 2:
        return list(parts.values())
    first = next(iter(parts.values()))
    tables: dict[str, dict[str, Table]] = {}
    for group, part in parts.items():
        for table in part.tables:
            tables.setdefault(table.name, {})[group] = table
    return [
        replace(
            first,
            findings=told,
            details=[_about_group(one, group) for group, part in parts.items() for one in part.findings],
            pictures=[
                replace(
                    one,
                    name=f"{one.name}-{at}",
                    caption=("{this_group}: " + one.caption[0], {**one.caption[1], "this_group": group}),
                )
                for at, (group, part) in enumerate(parts.items(), 1)
                for one in part.pictures
            ],
            tables=[_together(by_group) for by_group in tables.values() if _alike(by_group)],
            warnings=_of_groups({group: part.warnings for group, part in parts.items()}),
            notes=_of_groups({group: part.notes for group, part in parts.items()}),
            methods=_each_once(one for part in parts.values() for one in part.methods),
        )
    ]


def _alike(by_group: Mapping[str, Table]) -> bool:
    """Return True where tables have the same columns, so that they can stand below each other."""
    heads = {tuple(map(str, one.shown[0])) if one.columns is None else () for one in by_group.values()}
    return len(heads) == 1


def _together(by_group: Mapping[str, Table]) -> Table:
    first = next(iter(by_group.values()))
    columns = list(dict.fromkeys(name for one in by_group.values() for name in one.columns or ()))
    long = sum(len(one.shown[0]) for one in by_group.values()) > MOST_ROWS
    cut: Sentence = (
        "The first {most} of each group; all are in the file of this table.",
        {"most": MOST_OF_EACH},
    )
    return replace(
        first,
        shown=below_each_other(
            {group: _head(one.shown) if long else one.shown for group, one in by_group.items()}, "Group"
        ),
        columns=("Group", *columns) if columns else None,
        full=_concatenated({group: one.numbers for group, one in by_group.items()}, "Group"),
        notes=[
            *([cut] if long else []),
            *_each_once(note for one in by_group.values() for note in one.notes),
        ],
    )


def _head(shown: Shown) -> Shown:
    """Return the first rows, each as it is written in the whole table."""
    table, written = shown
    rows = table.head(MOST_OF_EACH)
    return rows, {name: how if callable(how) else how[:MOST_OF_EACH] for name, how in written.items()}


def _of_groups(by_group: Mapping[str, Sequence[Sentence]]) -> list[Sentence]:
    """Return each sentence once, with the names of the groups unless it holds for all."""
    of: dict[str, tuple[Sentence, list[str]]] = {}
    for group, sentences in by_group.items():
        for one in sentences:
            of.setdefault(str(one), (one, []))[1].append(group)
    return [
        one
        if len(groups) == len(by_group)
        else (f"<b>{{these_groups}}</b>: {one[0]}", {**one[1], "these_groups": listed(groups, 9)})
        for one, groups in of.values()
    ]


def what_changes(study: Study, scenario: Scenario) -> tuple[list[Finding], list[Table]]:
    """Return the share that changes most without the excluded raters, and a table of all; nothing if nobody is."""
    if not study.dataset.without:
        return [], []
    changed = compare_figures(shares_in(study.everyone), shares_in(study))
    table = Table(
        "shares-without",
        ("Each share with everyone, without the raters left out, and the difference.", {}),
        changes_table(changed, ("Everyone", "Without")),
        notes=interval_notes([one.difference for one in changed], units_of(study.whole.kind)),
    )
    return most_changed(changed, scenario), [table]
