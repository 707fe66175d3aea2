"""Columns that hold ratings side by side, and what tells them apart: raters, items or measures."""

import re
from collections.abc import Mapping

from data.kinds.definitions import KINDS
from data.kinds.plain_names import plain_name
from data.kinds.shared_columns import ATTRIBUTES
from data.mapping.behaviour import may_be_rating
from data.tables.sniffed import Sniffed, SniffedColumn, is_number

_SLOT = re.compile(
    r"(.*[^a-z])?(slot|rating|vote|score|label|answer|rep|repetition|judge?ment|annotation|opinion|value|r|a|v)"
    r"[ _.-]?\d+",
    re.IGNORECASE,
)
_FEW_VALUES = 101
_SCALES = ((0, 1), (1, 5), (0, 5), (1, 7), (0, 7), (1, 11), (0, 11), (-3, 3), (-10, 10), (0, 100))


def on_one_scale(
    sniffed: Sniffed, score: str | tuple[str, ...] | None, wide: Mapping[str, object] | None = None
) -> tuple[str, ...]:
    """The unused columns that hold numbers on the same scale; with `score`, those on its scale."""
    used = {name for name in (wide or {}).values() if isinstance(name, str)} - {(wide or {}).get("score")}
    by_scale: dict[tuple[int, int] | None, list[str]] = {}
    marked = [column for column in sniffed.columns if column.name.casefold().startswith("output:")]
    for column in marked if len(marked) > 1 else sniffed.columns:
        if column.name in used or column.numbers < 0.95 or not column.filled or column.distinct > _FEW_VALUES:
            continue
        if column.name != score and not may_be_rating(column, sniffed):
            continue
        if plain_name(column.name) in ATTRIBUTES:
            continue
        scale = next(
            ((low, high) for low, high in _SCALES if low <= column.low and column.high <= high), None
        )
        by_scale.setdefault(scale, []).append(column.name)
    by_scale.pop(None, None)
    if score is not None:
        return next((tuple(names) for names in by_scale.values() if score in names and len(names) > 1), ())
    return max((tuple(names) for names in by_scale.values()), key=len, default=())


def named_as_rating(name: str) -> bool:
    """Whether a column is called by a rater or a repetition: rater1, slot 2."""
    rater = KINDS["ratings"].column("rater_id")
    assert rater is not None
    return _SLOT.fullmatch(name) is not None or plain_name(name).rstrip("0123456789") in rater.names


def in_steps(column: SniffedColumn) -> bool:
    """Whether the numbers are whole, half or quarter steps, as raters give them."""
    written = [example.replace(",", ".") for example in column.examples]
    return all((4 * float(cell)).is_integer() for cell in written if is_number(cell))
