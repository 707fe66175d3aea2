"""Parts of a report before it is rendered: sections from blocks of a feature, merged over groups, and sources.

Sources are in `report/sources.toml`; they are rendered as a list of references and as BibTeX.
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
from features.plotting.export import look_of
from features.plotting.theme import Look, PlotlyFigure
from features.words import Printed, Sentence, Shown, Written, cells, listed, plain, printed

T = TypeVar("T")
PAPER_LOOK = Look()
"""Look of figures on paper: dark on white."""
MAX_ROWS, CUT_TOLERANCE = 60, 5
"""Rows of a table that are printed, and excess rows up to which the whole table is printed."""
DETAILS_HEADING = "Group by group"
APPENDIX_HEADING = "Appendix: how this report was made"


@dataclass(frozen=True, eq=False)
class Table:
    """Table with its caption; `name` is the name of its file, `full` its unrounded content with every column.

    A table that is folded on its page is only written to its file.
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
        """Table with all rows, for a separate file."""
        return printed(self.shown, self.columns, self.notes)

    @property
    def printed(self) -> Printed:
        """Table of the report, with the first rows only if it is long."""
        table = self.whole
        n_further = len(table.rows) - MAX_ROWS
        if n_further <= CUT_TOLERANCE:
            return table
        rest = f"{n_further} further rows are in the file of this table ({self.name}.csv, and results.json)."
        return replace(table, rows=table.rows[:MAX_ROWS], notes=(rest, *table.notes))

    @property
    def numbers(self) -> pd.DataFrame:
        """Unrounded content of the file."""
        return self.shown[0] if self.full is None else self.full


@dataclass(frozen=True, eq=False)
class Picture:
    """Figure with its caption; `name` is the name of its file, `draw` draws it in the look of a width."""

    name: str
    caption: Sentence
    draw: Callable[[Look], PlotlyFigure | None]

    @cached_property
    def figure(self) -> PlotlyFigure:
        return require(self.draw(PAPER_LOOK))

    def at(self, width_mm: float) -> PlotlyFigure:
        """Return the figure at the width of a column of a paper."""
        return require(self.draw(look_of(width_mm)))


@dataclass(frozen=True, eq=False)
class Section:
    """Section of a report: findings, figures, tables, warnings and methods.

    `details` are the findings of each group, `findings` those of all; `cited` are keys of `SOURCES`.
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
    def has_conclusions(self) -> bool:
        """False for sections that describe the data or plan another study."""
        return self.name not in ("data", "planning", "collection", "heds")

    @property
    def printed_tables(self) -> list[Table]:
        """Tables that are printed in the report."""
        return [table for table in self.tables if not table.is_folded]

    @property
    def file_notes(self) -> list[Sentence]:
        """Sentences that name the files of the folded tables."""
        return [
            (f"{table.caption[0]} This table is in tables/{table.name}.csv.", table.caption[1])
            for table in self.tables
            if table.is_folded
        ]


MAX_IN_SUMMARY = 5
SUMMARY_ORDER = (
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
"""Sections whose findings come first in the summary, in this order."""


def _rank(name: str) -> int:
    """Return the rank of a section in the summary; names of sections begin with the name of their page."""
    places = (at for at, important in enumerate(SUMMARY_ORDER) if name.startswith(important))
    return next(places, len(SUMMARY_ORDER))


@dataclass(frozen=True, eq=False)
class Report:
    """Report with its sections, facts about its origin (name and value) and its settings."""

    title: str
    notes: str
    sections: Sequence[Section]
    facts: Sequence[tuple[str, str]]
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def cited(self) -> list[str]:
        """Keys of the sources of all sections, each once."""
        return list(dict.fromkeys(key for section in self.sections for key in section.cited))

    @property
    def summary(self) -> list[tuple[Section, Finding]]:
        """The first clear or uncertain findings of the most important sections, with their sections."""
        opened = [
            (section, section.findings[0])
            for section in self.sections
            if section.findings and section.has_conclusions
        ]
        conclusions = [
            (section, finding)
            for section, finding in opened
            if finding.status in (Status.CLEAR, Status.UNCERTAIN)
        ]
        return sorted(conclusions, key=lambda pair: _rank(pair[0].name))[:MAX_IN_SUMMARY]


def format_evidence(finding: Finding) -> Sentence:
    """Return the evidence line with the status word at its end; empty if a finding has no evidence.

    >>> format_evidence(Finding(("Crowd and lab agree.", {}), ("{n} items", {"n": 50})))
    ('{n} items · <b>clear</b>', {'n': 50})
    """
    template, values = finding.evidence
    if not template or not finding.status.grade:
        return finding.evidence
    return f"{template} · <b>{finding.status.grade}</b>", values


def require(answer: T | None) -> T:
    """Return a computed result; raise `Stopped` if the computation was interrupted."""
    if answer is None:
        raise Stopped
    return answer


_TEX = {"``": "“", "''": "”", '{\\"o}': "ö", '{\\"u}': "ü", '{\\"a}': "ä", "{\\'e}": "é", "{\\l}": "ł"}


@dataclass(frozen=True)
class Source:
    kind: str
    fields: Mapping[str, str]

    @property
    def listed(self) -> str:
        entry = self.fields
        venues = [entry.get(name, "") for name in ("journal", "booktitle", "howpublished", "publisher")]
        number = f"({entry['number']})" if "number" in entry else ""
        issue = f"{entry.get('volume', '')} {number}".strip()
        pages = f"pp. {entry['pages'].replace('--', '–')}" if "pages" in entry else ""
        publication = ", ".join(filter(None, [*venues, issue, pages]))
        authors = ", ".join(
            " ".join(reversed(author.split(", ", 1))) for author in entry["author"].split(" and ")
        )
        text = f"{authors} ({entry['year']}). {entry['title']}. {publication}."
        for tex, letter in _TEX.items():
            text = text.replace(tex, letter)
        return re.sub(r"[{}]", "", text)


def _read_sources() -> dict[str, Source]:
    text = (Path(__file__).parent / "sources.toml").read_text(encoding="utf-8")
    return {key: Source(fields.pop("kind"), fields) for key, fields in tomllib.loads(text).items()}


SOURCES = _read_sources()


def bibtex(keys: Iterable[str]) -> str:
    return "\n".join(_entry(key, SOURCES[key]) for key in keys)


def _entry(key: str, source: Source) -> str:
    body = ",\n".join(f"  {name} = {{{value.replace('²', '2')}}}" for name, value in source.fields.items())
    return f"@{source.kind}{{{key},\n{body}\n}}\n"


def build_section(name: str, title: str, section: Iterable[Block], suffix: str = "") -> Section:
    """Return a section from blocks; a later block replaces an earlier one of the same name.

    `suffix` is appended to the file names of figures and tables.
    """
    last: dict[tuple[type, str], Block] = {}
    for block in section:
        last[block_key(block)] = block
    latest = list(last.values())
    methods = [block for block in latest if isinstance(block, Method)]
    return Section(
        name,
        title,
        findings=[block for block in latest if isinstance(block, Finding)],
        pictures=[
            Picture(block.name + suffix, block.caption, block.draw)
            for block in latest
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
            for block in latest
            if isinstance(block, blocks.Table)
        ],
        warnings=[block.text for block in latest if isinstance(block, Warning)],
        notes=[block.text for block in latest if isinstance(block, Note)],
        methods=[method.text for method in methods],
        cited=list(dict.fromkeys(key for method in methods for key in method.sources)),
    )


def _distinct(sentences: Iterable[Sentence]) -> list[Sentence]:
    return list({str(one): one for one in sentences}.values())


def merge_sections(sections: Iterable[Section]) -> Section:
    """Concatenate sections of the same name, with each warning, note and method once."""
    first, *others = sections
    all_sections = [first, *others]
    return Section(
        first.name,
        first.title,
        findings=[one for section in all_sections for one in section.findings],
        details=[one for section in all_sections for one in section.details],
        pictures=[one for section in all_sections for one in section.pictures],
        tables=[one for section in all_sections for one in section.tables],
        warnings=_distinct(one for section in all_sections for one in section.warnings),
        notes=_distinct(one for section in all_sections for one in section.notes),
        methods=_distinct(one for section in all_sections for one in section.methods),
        cited=list(dict.fromkeys(key for section in all_sections for key in section.cited)),
    )


MAX_ROWS_PER_GROUP = 12
"""Rows of each group that are printed if the merged table is long."""


def stack_tables(shown: Mapping[str, Shown], head: str) -> Shown:
    """Stack tables vertically, with their keys in a first column named `head`."""
    stacked = _concat_tables({key: table for key, (table, _) in shown.items()}, head)
    written: dict[str, Written] = {head: stacked[head].tolist()}
    for column in map(str, stacked.columns[1:]):
        texts: list[str] = []
        for table, formats in shown.values():
            has_column = column in table
            texts += cells(table[column], formats.get(column)) if has_column else [""] * len(table)
        written[column] = texts
    return stacked, written


def _concat_tables(tables: Mapping[str, pd.DataFrame], head: str) -> pd.DataFrame:
    tables_with_keys = []
    for key, table in tables.items():
        rows = table.reset_index(drop=True).drop(columns=head, errors="ignore")
        rows.insert(0, head, key)
        tables_with_keys.append(rows)
    return pd.concat(tables_with_keys, ignore_index=True)


def _prefix_group(finding: Finding, group: str) -> Finding:
    """Return the finding with its group before the headline, unless the headline names it."""
    if group.casefold() in plain(finding.headline).casefold():
        return finding
    return prefix(finding, "<b>{this_group}</b>: ", {"this_group": capitalized(group)})


def merge_groups(sections: Mapping[str, Section], conclusions: Sequence[Finding] = ()) -> list[Section]:
    """Merge the sections of all groups into one.

    It begins with `conclusions` about all of them, or else with the main finding of each group.
    """
    if len(sections) < 2:
        return list(sections.values())
    first = next(iter(sections.values()))
    tables: dict[str, dict[str, Table]] = {}
    leading, details = list(conclusions), list[Finding]()
    for group, section in sections.items():
        for table in section.tables:
            tables.setdefault(table.name, {})[group] = table
        main = [one for one in section.findings if one.is_main][:1] or section.findings[:1]
        leading_of_group = [] if conclusions else main
        leading += [_prefix_group(one, group) for one in leading_of_group]
        details += [_prefix_group(one, group) for one in section.findings if one not in leading_of_group]
    return [
        replace(
            first,
            findings=leading,
            details=details,
            pictures=[
                replace(
                    one,
                    name=f"{one.name}-{number}",
                    caption=("{this_group}: " + one.caption[0], {**one.caption[1], "this_group": group}),
                )
                for number, (group, section) in enumerate(sections.items(), 1)
                for one in section.pictures
            ],
            tables=[_merge_tables(by_group) for by_group in tables.values() if _have_equal_columns(by_group)],
            warnings=_label_with_groups({group: section.warnings for group, section in sections.items()}),
            notes=_label_with_groups({group: section.notes for group, section in sections.items()}),
            methods=_distinct(one for section in sections.values() for one in section.methods),
        )
    ]


def _have_equal_columns(by_group: Mapping[str, Table]) -> bool:
    """Return True if all tables have the same columns, so that they can be stacked."""
    heads = {tuple(map(str, one.shown[0])) if one.columns is None else () for one in by_group.values()}
    return len(heads) == 1


def _merge_tables(by_group: Mapping[str, Table]) -> Table:
    first = next(iter(by_group.values()))
    columns = list(dict.fromkeys(name for one in by_group.values() for name in one.columns or ()))
    long = sum(len(one.shown[0]) for one in by_group.values()) > MAX_ROWS
    cut: Sentence = (
        "The first {most} of each group; all are in the file of this table.",
        {"most": MAX_ROWS_PER_GROUP},
    )
    return replace(
        first,
        shown=stack_tables(
            {group: _first_rows(one.shown) if long else one.shown for group, one in by_group.items()}, "Group"
        ),
        columns=("Group", *columns) if columns else None,
        full=_concat_tables({group: one.numbers for group, one in by_group.items()}, "Group"),
        notes=[
            *([cut] if long else []),
            *_distinct(note for one in by_group.values() for note in one.notes),
        ],
    )


def _first_rows(shown: Shown) -> Shown:
    table, written = shown
    rows = table.head(MAX_ROWS_PER_GROUP)
    return rows, {name: how if callable(how) else how[:MAX_ROWS_PER_GROUP] for name, how in written.items()}


def _label_with_groups(by_group: Mapping[str, Sequence[Sentence]]) -> list[Sentence]:
    """Return each sentence once, preceded by the names of its groups unless it applies to all."""
    groups_by_text: dict[str, tuple[Sentence, list[str]]] = {}
    for group, sentences in by_group.items():
        for sentence in sentences:
            groups_by_text.setdefault(str(sentence), (sentence, []))[1].append(group)
    return [
        sentence
        if len(groups) == len(by_group)
        else (f"<b>{{these_groups}}</b>: {sentence[0]}", {**sentence[1], "these_groups": listed(groups, 9)})
        for sentence, groups in groups_by_text.values()
    ]
