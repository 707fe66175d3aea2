"""Tables without a rating, which are no study but tell about one: gold answers of items, and who the raters are."""

from dataclasses import dataclass

from analysis.values.columns import thousands
from data.kinds.additions import ADDITIONS
from data.kinds.definitions import kind_named
from data.kinds.plain_names import plain_name
from data.kinds.shared_columns import ATTRIBUTES, EXPECTED, ITEM, RATER, STATUS
from data.mapping.behaviour import named
from data.mapping.further_columns import add_further
from data.mapping.named_columns import columns_by_name
from data.mapping.plan import FileMapping
from data.mapping.values import SAID
from data.tables.sniffed import Sniffed, SniffedColumn

_OF_ITEMS, _OF_RATERS = "items of choices", "raters of ratings"
_PROLIFIC = {"submissionid", "participantid", "status"}
_MOST_LABELS = 20
_RATED = 0.5
"""Evidence of a reading from which on a table holds ratings."""


@dataclass(frozen=True)
class Alone:
    """The kind of addition that a table is, its columns, and a sentence on what to do with it."""

    addition: str
    mapping: FileMapping
    sentence: str


def holds_truth(sniffed: Sniffed) -> bool:
    """Whether a file has known answers of items, and nobody who gave them."""
    return _truth_of(sniffed) is not None


def alone(sniffed: Sniffed) -> Alone | None:
    """What a table is that has no rating, but tells about items or raters; None for any other."""
    known = sniffed.known
    if known is not None and known.kind in ADDITIONS:
        return Alone(
            known.kind,
            known.mapping,
            "This is a table of numbers of items, such as means over raters, without a single rating: no study of its "
            "own. Save the file with the ratings first; then add this one to it, joined by the item.",
        )
    truth = _truth_of(sniffed)
    if truth:
        item, gold = truth
        return Alone(
            _OF_ITEMS,
            {"item_id": item.name, "gold": gold.name},
            f"This is a table of gold answers of {thousands(item.distinct)} items, without who rated them: "
            f"no study of its "
            "own. Save the file with the labels first; then add this one to it as gold.",
        )
    rater = _rater_of(sniffed)
    if rater is None:
        return None
    kind = kind_named(_OF_RATERS)
    mapping: dict[str, str | tuple[str, ...]] = {**columns_by_name(sniffed, kind), "rater_id": rater.name}
    add_further(sniffed, kind, mapping, numbers=False)
    return Alone(
        _OF_RATERS,
        mapping,
        f"This is a table of {thousands(rater.distinct)} raters and what is known about them, without a "
        f"rating: no study of its "
        "own. Save the file with the ratings first; then add this one to it, joined by the rater.",
    )


def _truth_of(sniffed: Sniffed) -> tuple[SniffedColumn, SniffedColumn] | None:
    """The column of items and that of known answers, where a file has these two and nothing else that could be somebody
    or their answer: crowd-kit's, or called gold."""
    plain = {plain_name(column.name): column for column in sniffed.columns}
    called = ("gold", *EXPECTED, *(["label"] if "task" in plain else []))
    item, gold = named(sniffed, ITEM), next((plain[name] for name in called if name in plain), None)
    if item is None or gold is None or item is gold or gold.distinct > _MOST_LABELS:
        return None
    others = [column for column in sniffed.columns if column is not item and column is not gold]
    if any(plain_name(column.name) in RATER or not _says_nothing(column) for column in others):
        return None
    return (item, gold) if item.distinct == item.filled == sniffed.looked_at else None


def _says_nothing(column: SniffedColumn) -> bool:
    """Whether it is the same in all rows, or another in each: a note, an id, a time."""
    return column.distinct <= 1 or (column.distinct == column.filled and column.numbers < 1)


def _rater_of(sniffed: Sniffed) -> SniffedColumn | None:
    """The column of raters, where each has one row that says who they are: Prolific's export, or attributes by name."""
    plain = {plain_name(column.name) for column in sniffed.columns}
    if plain >= _PROLIFIC:
        return named(sniffed, ["participantid"])
    rater = named(sniffed, RATER)
    if rater is None or not rater.distinct == rater.filled == sniffed.looked_at > 1:
        return None
    told = {name for name in plain if name in ATTRIBUTES or name.startswith("rater")} - {
        plain_name(rater.name)
    }
    others = plain & {*SAID, *ITEM} - set(STATUS)
    rated = any(one.evidence >= _RATED for one in sniffed.readings)
    return rater if told and not others and not rated else None
