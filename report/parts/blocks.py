"""Blocks of a feature as parts of a section, also by group and with raters left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from features import blocks
from features.blocks import Block, Figure, Finding, Method, Note, Warning, block_key, capitalized, prefix
from features.importing.joining import shares_in, units_of
from features.importing.versions import changes_table, compare_figures, interval_notes, most_changed
from features.study import Scenario, Study
from features.words import Sentence, Shown, Written, cells, listed, plain
from report.parts.model import MOST_ROWS, Picture, Section, Table


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
