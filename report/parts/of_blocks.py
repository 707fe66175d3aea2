"""Collect the blocks of a feature's section into a section of the report."""

from collections.abc import Iterable

from features import blocks
from features.blocks import Block, Figure, Finding, Method, Note, Warning, block_key
from report.parts.model import Picture, Section, Table


def section_of(name: str, title: str, section: Iterable[Block], suffix: str = "") -> Section:
    """Return the section of these blocks, of which a later one replaces an earlier one of its name.

    `suffix` is added to the names of figures and tables, which are those of their files. Tables that a page folds are
    not printed, and have their files.
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
        warnings=list({str(one): one for part in every for one in part.warnings}.values()),
        notes=list({str(one): one for part in every for one in part.notes}.values()),
        methods=list({str(one): one for part in every for one in part.methods}.values()),
        cited=list(dict.fromkeys(key for part in every for key in part.cited)),
    )
