"""Blocks that sections are made of: what a page shows and a report prints, as data.

A section is a generator of blocks in reading order. Long work yields first what is quick, then a block of the same
name again with its interval: whoever renders the blocks replaces the first by the second.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

import pandas as pd

T = TypeVar("T")
U = TypeVar("U")
Text = tuple[str, Mapping[str, object]]
"""A template of ours, which may hold <b>, and the values to be escaped into it."""


MAIN = "finding"
"""Name of the finding that answers a section's question."""


class Status(StrEnum):
    """Answer that the data give to a finding's question."""

    CLEAR = "clear"
    """The interval answers the question: it excludes the null, or lies within the margin that counts as none."""
    UNCERTAIN = "uncertain"
    NOT_ENOUGH_DATA = "not_enough_data"
    NOT_APPLICABLE = "not_applicable"

    @property
    def concludes(self) -> bool:
        """True where the finding says something about the data, which doubts about them would question."""
        return self in (Status.CLEAR, Status.UNCERTAIN)

    @property
    def grade(self) -> str:
        """Grade word that stands with the evidence; empty where the question does not apply.

        >>> Status.NOT_ENOUGH_DATA.grade, Status.NOT_APPLICABLE.grade
        ('not enough data', '')
        """
        return "" if self is Status.NOT_APPLICABLE else self.value.replace("_", " ")


@dataclass(frozen=True)
class NextStep:
    """A step that would help: a page to open, by its file, with parameters of its address."""

    label: str
    page: str
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """A verdict: headline, the evidence for it, and what is to be known before it is quoted.

    `warnings` are those of the method; `doubtful` holds the reasons why the import looked wrong. `name` tells several
    findings of a section apart. `is_of_data` is False for a plan that is not based on the open data set,
    which doubts about the data would not question.
    """

    headline: Text
    evidence: Text = ("", {})
    status: Status = Status.CLEAR
    warnings: Sequence[Text] = ()
    doubtful: Sequence[str] = ()
    next_step: NextStep | None = None
    name: str = MAIN
    is_of_data: bool = True

    @property
    def is_main(self) -> bool:
        """True for the finding that answers the section's question."""
        return self.name == MAIN


@dataclass(frozen=True)
class Heading:
    """Title of a part of a section."""

    text: str


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure: `draw` makes it for a look (colors, width), so that page and paper draw the same numbers.

    `hint` says what a click does, on a page where it does something.
    """

    name: str
    caption: Text
    draw: Callable[[Any], dict[str, Any] | None]
    hint: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """A table of unrounded numbers, how its columns are written, and which of them are seen at first sight.

    `fold` is the label of the fold that holds it on a page, "" for none.
    """

    name: str
    caption: Text
    frame: pd.DataFrame
    columns_at_first_sight: Sequence[str] = ()
    formats: Mapping[str, Callable[[float], str] | Sequence[str]] = field(default_factory=dict)
    fold: str = ""


@dataclass(frozen=True)
class Note:
    """A remark on how a figure was made."""

    text: Text


@dataclass(frozen=True)
class Warning:
    """Caution for the reader before trusting a figure."""

    text: Text


@dataclass(frozen=True)
class Method:
    """Explanation of how the numbers are computed, and the keys of the sources.

    `details` is the explanation in full, in Markdown with formulas, for the page.
    """

    text: Text
    sources: Sequence[str] = ()
    details: str = ""


@dataclass(frozen=True)
class Progress:
    """Long work that begins: what was yielded before it can be shown meanwhile."""

    label: str


Block = Finding | Heading | Figure | Table | Note | Warning | Method | Progress


def block_key(block: Block) -> tuple[type, str]:
    """Return the key by which a later block of a section replaces an earlier one: its kind and name."""
    match block:
        case Finding() | Figure() | Table():
            return type(block), block.name
        case Heading():
            return Heading, block.text
        case Progress():
            return Progress, block.label
        case Warning():
            return Warning, str(block.text)
    return type(block), block.text[0]


def in_stages(
    stages: Iterable[T | Progress], blocks_of: Callable[[T], Iterable[Block]]
) -> Generator[Block, None, T]:
    """Yield the blocks of each stage of a result, and the progress of the work between them; return the last stage."""
    found: list[T] = []
    for stage in stages:
        if isinstance(stage, Progress):
            yield stage
        else:
            found = [stage]
            yield from blocks_of(stage)
    return found[0]


def map_stages(stages: Iterable[T | Progress], make: Callable[[T], U]) -> Generator[U | Progress, None, U]:
    """Yield what `make` makes of each stage, and the progress of the work between them; return the last stage."""
    found: list[U] = []
    for stage in stages:
        if isinstance(stage, Progress):
            yield stage
        else:
            found = [make(stage)]
            yield found[0]
    return found[0]


def last_of(stages: Iterable[T | Progress]) -> T:
    """Return a result as its last stage has it."""
    return [stage for stage in stages if not isinstance(stage, Progress)][-1]


def card_of(section: Iterable[Block]) -> list[Block]:
    """Return a section's main finding, else its first, and its first figure, each as it was yielded last."""
    last: dict[tuple[type, str], Block] = {block_key(block): block for block in section}
    findings = sorted(
        (block for block in last.values() if isinstance(block, Finding)), key=lambda one: not one.is_main
    )
    figures = [block for block in last.values() if isinstance(block, Figure)]
    return [*findings[:1], *figures[:1]]
