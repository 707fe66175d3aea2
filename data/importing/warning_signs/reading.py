"""Doubts about how a file is read: columns of possible ratings that are not used, and raters that no name tells."""

from collections.abc import Iterator

from data.importing.warning_signs.unused import Unused, find_unused
from data.importing.warning_signs.wording import Doubt
from data.kinds.definitions import kind_named
from data.mapping.named_columns import columns_by_name
from data.mapping.plan import FileMapping
from data.mapping.proposal import propose
from data.mapping.values import scaled
from data.tables.sniffed import Sniffed

_NAMED = 4
_BY_VALUES = 0.85
"""Evidence of a reading up to which values told what names did not."""
_LONG = ("long", "measure columns")


def doubts_of_reading(sniffed: Sniffed, kind: str, mapping: FileMapping) -> Iterator[Doubt]:
    """Yield the doubts about a file that is read by this mapping, before any of its rows is looked at."""
    unused = find_unused(sniffed, kind_named(kind), mapping)
    if unused.ratings:
        yield Doubt("", _unused(unused))
    guessed = _guessed(sniffed, kind, mapping)
    if guessed:
        said = f"{guessed} were guessed by the values"
        yield Doubt(f"The {said}, as no header names them. Check that they are right.", f"the {said}")


def _unused(unused: Unused) -> str:
    names = ", ".join(f'"{name[:60]}"' for name in unused.ratings[:_NAMED])
    more = len(unused.ratings) - _NAMED
    one = len(unused.ratings) == 1
    return (
        f"the column{'' if one else 's'} {names}{f' and {more} more' if more > 0 else ''}, which could hold ratings, "
        f"{'is' if one else 'are'} not used"
    )


def _guessed(sniffed: Sniffed, kind: str, mapping: FileMapping) -> str:
    """Return what was guessed by the values of columns and taken as it was proposed, without a question."""
    if sniffed.known or sniffed.format or str(mapping.get("@form", "long")) not in _LONG:
        return ""
    found = propose(sniffed, kind)
    if found.reading is None or found.other is not None or found.reading.evidence > _BY_VALUES:
        return ""
    if any(found.mapping.get(name) != mapping.get(name) for name in ("item_id", "rater_id")):
        return ""
    named = columns_by_name(scaled(sniffed), kind_named(kind))
    names = {*sniffed.names} - {part.name for part in sniffed.parts}
    guessed = [
        called
        for name, called in (("item_id", "items"), ("rater_id", "raters"))
        if mapping.get(name) in names and named.get(name) != mapping[name]
    ]
    return " and ".join(guessed) if "raters" in guessed else ""
