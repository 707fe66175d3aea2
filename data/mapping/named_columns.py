"""Which column of a file each canonical column seems to be, by its name, unless what the column holds is against it."""

from collections.abc import Mapping

from data.kinds.answer_words import is_understood
from data.kinds.kind import CODED, CanonicalColumn, Kind
from data.kinds.plain_names import plain_name
from data.kinds.scale_words import places_of
from data.kinds.shared_columns import EXPECTED
from data.mapping.behaviour import may_be_condition, may_be_rating
from data.mapping.plan import FALSE_CHECKS
from data.mapping.values import SAID
from data.tables.sniffed import Sniffed, SniffedColumn

_YES = ("1", "1.0", "true", "yes", "y", "t")


def columns_by_name(sniffed: Sniffed, kind: Kind) -> dict[str, str]:
    """For each canonical column the unused column whose name fits best and whose content allows it."""
    sources: dict[str, str] = {}
    free = {column.name: column for column in sniffed.columns}
    first = [c for c in kind.columns if c.name == "score"]
    for canonical in [*first, *(c for c in kind.columns if c not in first)]:
        wanted = (canonical.name.replace("_", ""), *canonical.names)
        fitting = [
            (wanted.index(plain_name(name)), at, name)
            for at, (name, column) in enumerate(free.items())
            if plain_name(name) in wanted and _may_be(canonical, column, sniffed, sources, kind)
        ]
        if fitting:
            name = min(fitting)[2]
            sources[canonical.name] = name
            del free[name]
    return {column.name: sources[column.name] for column in kind.columns if column.name in sources}


def _may_be(
    canonical: CanonicalColumn,
    column: SniffedColumn,
    sniffed: Sniffed,
    sources: Mapping[str, str],
    kind: Kind,
) -> bool:
    """Whether what the column holds speaks against its name."""
    if canonical.name == "score":
        scored = column.numbers + column.leading_numbers >= 0.5
        return scored and (plain_name(column.name) in SAID or may_be_rating(column, sniffed))
    if canonical.name in ("condition", "split", "design"):
        return may_be_condition(column, sniffed)
    if canonical.type == "number":
        return column.filled == 0 or column.numbers >= (0.5 if canonical.required else 0.8)
    if canonical.type == "time":
        return column.numbers < 0.8 or column.low > 1e8
    if canonical.name in ("measure", "rater_group"):
        return column.distinct <= 50 and all(len(example) <= 40 for example in column.examples)
    if canonical.name in ("option_a", "option_b"):
        return column.numbers < 0.5 or len(plain_name(column.name)) > 6
    if canonical.type in CODED:
        gold = canonical.name == "gold" and bool(column.values)  # whose words can be mapped
        return (
            gold
            or column.filled == 0
            or any(is_understood(canonical.type, example) for example in column.examples)
        )
    if canonical.name == "gold":
        return plain_name(column.name) in EXPECTED or not _is_mark(
            column, next((c for c in sniffed.columns if c.name == sources.get("choice")), None)
        )
    if canonical.name == "check" and kind.name == "choices":
        return _is_mark(column, next((c for c in sniffed.columns if c.name == sources.get("choice")), None))
    if canonical.name == "check":
        values = {example.casefold() for example in column.examples}
        score = next((c for c in sniffed.columns if c.name == sources.get("score")), None)
        answers = score is not None and column.filled and (score.low, score.high) == (column.low, column.high)
        return (column.filled < sniffed.looked_at and not answers) or (
            0 < column.distinct <= 2 and values <= {*_YES, *FALSE_CHECKS} and not answers
        )
    return True


def _is_mark(column: SniffedColumn, chosen: SniffedColumn | None) -> bool:
    """Whether a column says yes or no of a row, and is no answer as those in `chosen` are."""
    said = {example.casefold() for example in column.examples}
    answers = {example.casefold() for example in chosen.examples} if chosen else set()
    two_classes = chosen is not None and column.distinct == 2 and len(places_of(dict(chosen.values))) == 2
    return said <= {*_YES, *FALSE_CHECKS} and not said & answers and not two_classes
