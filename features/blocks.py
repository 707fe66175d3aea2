"""Blocks that sections are made of, what a page shows and a report prints as data, and findings of each status."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from math import isnan
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import pandas as pd

from analysis.values.estimate import Estimate, Scope
from features.plotting.theme import NumberFormat, decimal, interval_text

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
    NOT_TESTED = "not_tested"
    """Described without an interval: of nothing that could be tested here, or on a card that leaves it to its page."""

    @property
    def concludes(self) -> bool:
        """True where the finding says something about the data, which doubts about them would question."""
        return self in (Status.CLEAR, Status.UNCERTAIN, Status.NOT_TESTED)

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
    """A verdict: a headline, its evidence, and warnings that belong to it.

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
        return self.name == MAIN


@dataclass(frozen=True)
class Heading:
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
    formats: Mapping[str, NumberFormat | Sequence[str]] = field(default_factory=dict)
    fold: str = ""


@dataclass(frozen=True)
class Note:
    """A remark on how a figure was made."""

    text: Text


@dataclass(frozen=True)
class Warning:
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


def last_stage(stages: Iterable[T | Progress]) -> T:
    return [stage for stage in stages if not isinstance(stage, Progress)][-1]


def card_of(section: Iterable[Block], is_tested: bool = True) -> list[Block]:
    """Return a section's main finding, else its first, and its first figure, each as it was yielded last.

    Without intervals, where a section is not tested, its finding says so instead of an answer.
    """
    last: dict[tuple[type, str], Block] = {block_key(block): block for block in section}
    findings = sorted(
        (block for block in last.values() if isinstance(block, Finding)), key=lambda one: not one.is_main
    )
    if not is_tested:
        findings = [
            replace(one, status=Status.NOT_TESTED) if one.status.concludes else one for one in findings
        ]
    figures = [block for block in last.values() if isinstance(block, Figure)]
    return [*findings[:1], *figures[:1]]


S = TypeVar("S")
R = TypeVar("R")
NAMED = 2
"""Doubts that a finding names; the Overview has all."""
HOW_DOUBTED = """
**Doubtful** stands before whatever is concluded from data that looked wrong when it was imported: at least a third of
its rows repeat an item and a rater; more than half of its items have only one row and belong to no systems; all scores
of a measure are the same; scores lie outside the scale of at least 99% of the others, or far off it, as codes of
missing answers do; one score makes up more than half of the variance of a measure without a scale; a group shares no
item with another one; gold fits no answer that anybody gave; columns that could hold ratings are not used; or the
raters were guessed by the values of a column. The figures are computed as ever. Where data are too few, or a question
does not apply, nothing is concluded, and it is said without it.
"""


def add_doubts(finding: Finding, doubts: Sequence[str]) -> Finding:
    """Return the finding with the doubts about its data, where it concludes something from them."""
    return replace(finding, doubtful=tuple(doubts)) if finding.status.concludes else finding


def sentence_of(finding: Finding) -> Text:
    """Return the headline, with the doubts about its data before it.

    >>> sentence_of(Finding(("Crowd and lab agree.", {}), doubtful=["60% of the items have only one rating"]))
    ('<b>Doubtful</b>, since {doubt}: Crowd and lab agree.', {'doubt': '60% of the items have only one rating'})
    """
    if not finding.doubtful:
        return finding.headline
    template, values = finding.headline
    return f"<b>Doubtful</b>, since {{doubt}}: {template}", {
        **values,
        "doubt": _join_doubts(finding.doubtful),
    }


def doubts_in_words(doubts: Sequence[str]) -> Text:
    """Return the sentence of the Overview on doubts about the data, and how to resolve them."""
    return (
        "This data looks wrong: {doubts}. Every finding says so until a new version without it is uploaded on the "
        "Data page (<b>More</b>, <b>Upload a new version</b>).",
        {"doubts": "; ".join(doubts)},
    )


def _join_doubts(doubts: Sequence[str]) -> str:
    rest = len(doubts) - NAMED
    more = f" and {rest} more {'thing looks' if rest == 1 else 'things look'} wrong" if rest > 0 else ""
    return "; ".join(doubts[:NAMED]) + more


SEPARATOR = " · "


def evidence(*parts: str) -> Text:
    """Return the line of these parts, empty ones left out; parts may hold names from data, which are escaped.

    The line begins with a capital letter unless it begins with a symbol.

    >>> evidence("95% CI 4.62–4.90", "", "58 systems")
    ('{part_0} · {part_1}', {'part_0': '95% CI 4.62–4.90', 'part_1': '58 systems'})
    >>> evidence("for raters like these", "for all")[1], evidence("p = .034")[1], evidence("ρ 0.63")[1]
    ({'part_0': 'For raters like these', 'part_1': 'for all'}, {'part_0': 'p = .034'}, {'part_0': 'ρ 0.63'})
    """
    filled = [part for part in parts if part]
    if filled and filled[0][:2].isalpha():
        filled[0] = capitalized(filled[0])
    names = [f"part_{at}" for at in range(len(filled))]
    return SEPARATOR.join(f"{{{name}}}" for name in names), dict(zip(names, filled, strict=True))


def for_raters(*scopes: Scope) -> str:
    """Return the raters that figures of these scopes hold for, "" without a scope.

    >>> for_raters("these raters"), for_raters("raters like these", "these raters", "these raters")
    ('for these raters', 'for raters like these or for these raters, by measure')
    """
    each = list(dict.fromkeys(f"for {scope}" for scope in scopes))
    return " or ".join(each) + (", by measure" if len(each) > 1 else "")


def resampled_scope(resampled: str) -> Scope:
    """Return the scope of an interval from what its bootstrap samples are of.

    >>> resampled_scope("topics"), resampled_scope("raters and topics")
    ('these raters', 'raters like these')
    """
    return "raters like these" if "rater" in resampled else "these raters"


def resampled_scopes(resampled: str) -> tuple[str, ...]:
    """Return the raters and, where intervals are not over items, the tasks that figures of rankings hold for.

    >>> resampled_scopes("items and raters"), resampled_scopes("rankings")
    (('for raters like these',), ('for these raters', 'for these tasks'))
    """
    tasks = () if "item" in resampled else ("for these tasks",)
    return for_raters(resampled_scope(resampled)), *tasks


def confidence_interval(estimate: Estimate, write: NumberFormat = decimal, level: float = 0.95) -> str:
    """Return the interval of an estimate with its level, "" where it has none.

    >>> confidence_interval(Estimate(4.75, 4.62, 4.9)), confidence_interval(Estimate(0.1, -0.02, 0.2))
    ('95% CI 4.62–4.90', '95% CI −0.02 to 0.20')
    >>> confidence_interval(Estimate(0.69, 0.61, 0.75), lambda share: f"{100 * share:.0f}%", 0.99)
    '99% CI 61–75%'
    """
    if isnan(estimate.low) or isnan(estimate.high):
        return ""
    return f"{100 * level:g}% CI {interval_text(estimate, write, '–')}"


def points_with_interval(difference: Estimate) -> tuple[str, str]:
    """Return a difference of shares in percentage points, and its interval, as two parts of an evidence line.

    >>> points_with_interval(Estimate(0.11, 0.06, 0.15))
    ('11 points', '95% CI 6–15')
    """

    def write(part: float) -> str:
        return decimal(100 * part, 0)

    return f"{write(difference.value)} points", confidence_interval(difference, write)


def capitalized(text: str) -> str:
    """Return the text with a capital letter first.

    >>> capitalized("readability 4.75"), capitalized("")
    ('Readability 4.75', '')
    """
    return text[:1].upper() + text[1:]


def name_of(name: object, what: str = "system") -> str:
    """Return the name with its kind before it, such as "system human 2".

    >>> name_of("human 2"), name_of("system B"), name_of("7", "item")
    ('System human 2', 'System B', 'Item 7')
    """
    text = str(name)
    return capitalized(text) if text.casefold().startswith(what) else f"{capitalized(what)} {text}"


_NONE: Mapping[str, object] = MappingProxyType({})
Values = Mapping[str, object]
EXCLUSION = "exclusion"
"""Name of the finding on what changes without the excluded raters."""


def clear(template: str, values: Values = _NONE, *line: str, name: str = MAIN) -> Finding:
    """Return a finding whose interval answers the question."""
    return Finding((template, values), evidence(*line), Status.CLEAR, name=name)


def uncertain(template: str, values: Values = _NONE, *line: str, name: str = MAIN) -> Finding:
    """Return a finding whose interval leaves the question open, although there are data."""
    return Finding((template, values), evidence(*line), Status.UNCERTAIN, name=name)


def not_tested(template: str, values: Values = _NONE, *line: str, name: str = MAIN) -> Finding:
    """Return a finding that describes the data without a test."""
    return Finding((template, values), evidence(*line), Status.NOT_TESTED, name=name)


def not_enough_data(
    template: str,
    values: Values = _NONE,
    *line: str,
    name: str = MAIN,
    next_step: NextStep | None = None,
) -> Finding:
    """Return a finding that the data are too few, or too uniform, to answer the question."""
    return Finding(
        (template, values), evidence(*line), Status.NOT_ENOUGH_DATA, next_step=next_step, name=name
    )


def too_few(
    purpose: str, values: Values, there: str, least: int, *line: str, next_step: NextStep, name: str = MAIN
) -> Finding:
    """Return a finding that there is less than the least that a purpose needs; `purpose` is a template."""
    headline = f"Not enough data to {purpose}: you have {{there}}, it needs {{least}}."
    given = {**values, "there": there, "least": least}
    return not_enough_data(headline, given, *line, name=name, next_step=next_step)


def not_applicable(template: str, values: Values = _NONE, *line: str, name: str = MAIN) -> Finding:
    """Return a finding that the question does not arise for these data."""
    return Finding((template, values), evidence(*line), Status.NOT_APPLICABLE, name=name)


def clear_if(is_clear: bool, template: str, values: Values = _NONE, *line: str, name: str = MAIN) -> Finding:
    """Return a clear finding where the condition holds, else an uncertain one."""
    return (clear if is_clear else uncertain)(template, values, *line, name=name)


def prefix(finding: Finding, template: str, values: Values) -> Finding:
    """Return the finding with words before its headline, such as the group that it is about."""
    return replace(finding, headline=(template + finding.headline[0], {**finding.headline[1], **values}))


_HERE = Path(__file__).parent


def method_of(feature: str, question: str, sources: Sequence[str], **values: object) -> Method:
    """Return the method in `features/FEATURE/methods/QUESTION.md`.

    Its first paragraph is the text of the report, a template for the values; the other paragraphs are the details.
    """
    summary, details = _read(feature, question)
    return Method((summary, values), sources, details)


@cache
def _read(feature: str, question: str) -> tuple[str, str]:
    text = (_HERE / feature / "methods" / f"{question}.md").read_text(encoding="utf-8")
    summary, details = text.split("\n\n", 1)
    return summary.replace("\n", " "), details
