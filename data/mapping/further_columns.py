"""Columns that a kind can keep besides its own: attributes of raters, numbers of the items and of both options."""

from collections.abc import Mapping

from data.errors import listed
from data.kinds.kind import Kind
from data.kinds.likely_names import are_groups
from data.kinds.option_numbers import pairs_of
from data.kinds.plain_names import plain_name
from data.kinds.shared_columns import ATTRIBUTES
from data.mapping.behaviour import is_attribute_of_raters, may_be_metric, may_be_option_number
from data.mapping.plan import RESERVED
from data.tables.sniffed import Sniffed, SniffedColumn

_MOST_COLUMNS = 40
_GROUPS_BESIDE = "@names rater_group"


def add_further(
    sniffed: Sniffed, kind: Kind, mapping: dict[str, str | tuple[str, ...]], numbers: bool = True
) -> list[str]:
    """Adds the unused columns that the kind can keep, attributes of raters and numbers of the items and of both
    options, and returns sentences about numbers that are of none of them."""
    if "option number" in kind.further and {"option_a", "option_b"} <= mapping.keys():
        _add_option_numbers(sniffed, mapping)
    used = {name for source in mapping.values() for name in ([source] if isinstance(source, str) else source)}
    of_ratings, notes = [], []
    groups = [column for column in sniffed.columns if column.name not in used and _is_group(column, sniffed)]
    if (
        len(groups) == 1
        and kind.column("rater_group")
        and not {"rater_group", _GROUPS_BESIDE} & mapping.keys()
    ):
        mapping["rater_group"] = groups[0].name
        used.add(groups[0].name)
        told = listed([value for value, _ in groups[0].values])
        notes.append(f'"{groups[0].name}" is taken for the group of raters: it holds {told}.')
    for column in sniffed.columns:
        plain = plain_name(column.name)
        if column.name in used or not plain:
            continue
        attribute = f"rater_{plain}" if plain in ATTRIBUTES else column.name.casefold()
        if is_attribute_of_raters(column, sniffed) and not attribute.startswith("rater_"):
            attribute = f"rater_{plain}"
        of_rater = "rater attribute" in kind.further and attribute.startswith("rater_")
        if of_rater and attribute not in mapping:
            mapping[attribute] = column.name
        elif (
            numbers
            and is_further_number(column, kind)
            and may_be_metric(column, sniffed)
            and len(mapping) < _MOST_COLUMNS
        ):
            if _differs_within_items(column, sniffed, kind, mapping):
                of_ratings.append(column.name)
            else:
                mapping[column.name] = column.name
    if not of_ratings:
        return notes
    differ = "differs" if len(of_ratings) == 1 else "differ"
    return [
        *notes,
        f"{listed(of_ratings)} {differ} between the {kind.rows} of an {kind.numbered}: told of the single {kind.row}, "
        f"not of the {kind.numbered}, and not kept.",
    ]


def _is_group(column: SniffedColumn, sniffed: Sniffed) -> bool:
    """Return True where it tells raters apart by words for groups of them."""
    return is_attribute_of_raters(column, sniffed) and are_groups([value for value, _ in column.values])


def _add_option_numbers(sniffed: Sniffed, mapping: dict[str, str | tuple[str, ...]]) -> None:
    """Adds pairs of unused columns that tell the same number of both options."""
    able = [
        column.name
        for column in sniffed.columns
        if column.name not in mapping.values() and may_be_option_number(column)
    ]
    for what, sides in pairs_of(able).items():
        names = f"{what}_a", f"{what}_b"
        if not {*names} & mapping.keys() and len(mapping) < _MOST_COLUMNS:
            mapping |= dict(zip(names, sides, strict=True))


def _differs_within_items(
    column: SniffedColumn, sniffed: Sniffed, kind: Kind, mapping: Mapping[str, str | tuple[str, ...]]
) -> bool:
    """Whether the rows of one item hold several of these numbers, as far as was looked at."""
    key = mapping.get(kind.numbers_of[0])
    return len(kind.numbers_of) == 1 and key in sniffed.keys and key not in column.within


def is_further_number(column: SniffedColumn, kind: Kind) -> bool:
    ours = {canonical.name for canonical in kind.columns} | RESERVED
    return (
        column.filled > 0
        and column.numbers >= (0.8 if kind.needs_further else 1)
        and column.name.casefold() not in ours
        and not column.name.startswith("@")
        and len(column.name) <= 60
    )
