"""Which kind of table a file seems to be."""

from collections.abc import Mapping

from data.kinds.answer_words import is_understood
from data.kinds.definitions import KINDS
from data.kinds.foreign_names import FOREIGN
from data.kinds.kind import CODED
from data.kinds.likely_names import look_like_measures
from data.kinds.plain_names import plain_name
from data.kinds.shared_columns import FULL_TEXT
from data.mapping.further_columns import is_further_number
from data.mapping.named_columns import columns_by_name
from data.tables.sniffed import Sniffed

LIKELY = 0.45
"""Evidence from which on a table is read so."""
_LABELS = ("choice", "label", "answer", "preference", *FOREIGN["choice"])


def kind_of(sniffed: Sniffed) -> str:
    names = {plain_name(name) for name in sniffed.names}
    for kind in KINDS.values():
        if kind.telling and all(names & set(group) for group in kind.telling):
            coded = {column.name for column in kind.columns if column.required and column.type in CODED}
            by_name = columns_by_name(sniffed, kind)
            if coded <= set(by_name) and not _are_ratings(sniffed, by_name.get("judgment")):
                return kind.name
    if _are_judgments_beside(sniffed):
        return "relevance"
    if _are_metrics(sniffed):
        return "metrics"
    return "choices" if _are_choices(sniffed) else "ratings"


def _are_ratings(sniffed: Sniffed, judgment: str | None) -> bool:
    """Return True where judgments go beyond 0 and 1, or ids name topic and system: relevance is a measure then."""
    return (judgment is not None and sniffed.format == "ids of several parts") or any(
        column.name == judgment and column.numbers >= 0.5 and (column.low < 0 or column.high > 1)
        for column in sniffed.columns
    )


def _are_judgments_beside(sniffed: Sniffed) -> bool:
    """Return True for raters, or files of them, events, documents and columns of judgments, one called full text."""
    by_name = columns_by_name(sniffed, KINDS["relevance"])
    named = {plain_name(name) for name in judgments_beside(sniffed, by_name)}
    return (
        "document_id" in by_name
        and ("event_id" in by_name or bool(named & {"fulltext", "fulldocument"}))
        and ("rater_id" in by_name or bool(sniffed.parts))
        and len(named) > 1
        and bool(named & set(FULL_TEXT))
    )


def judgments_beside(sniffed: Sniffed, mapping: Mapping[str, object]) -> tuple[str, ...]:
    """The columns that hold judgments of relevance and are nothing else."""
    used = {source for name, source in mapping.items() if name not in ("surrogate", "judgment")}
    return tuple(
        column.name
        for column in sniffed.columns
        if column.name not in used
        and column.filled
        and column.distinct <= 3  # as many examples as there are
        and all(is_understood("judgment", example) for example in column.examples)
    )


def _are_choices(sniffed: Sniffed) -> bool:
    """Two columns of options and none of scores, or a column of labels in words."""
    sources = columns_by_name(sniffed, KINDS["choices"])
    by_name = {column.name: column for column in sniffed.columns}
    chosen = by_name[sources["choice"]] if "choice" in sources else None
    if "option_a" in sources and "option_b" in sources:
        if chosen is None:
            return all(by_name[sources[option]].numbers < 0.5 for option in ("option_a", "option_b"))
        return chosen.numbers < 0.5 or (chosen.low >= -1 and chosen.high <= 2)
    plain = {plain_name(column.name): column for column in sniffed.columns}
    labels = next((plain[name] for name in _LABELS if name in plain), None)
    scored = {"score", "rating", *FOREIGN["score"]} & set(plain)
    return (
        labels is not None
        and not scored
        and 0 < labels.distinct <= 20
        and labels.numbers + labels.leading_numbers < 0.5
    )


def _are_metrics(sniffed: Sniffed) -> bool:
    """One row per item, and beside it nothing but numbers, not read as ratings and not named as people judge."""
    ours = columns_by_name(sniffed, KINDS["ratings"])
    items = [column for column in sniffed.columns if column.name == ours.get("item_id")]
    if not items or not set(ours) <= {"item_id", "order", "seconds"}:
        return False
    others = [column for column in sniffed.columns if column is not items[0]]
    return (
        items[0].distinct == items[0].filled == sniffed.looked_at > 1
        and bool(others)
        and all(is_further_number(column, KINDS["metrics"]) for column in others)
        and not any(one.evidence >= LIKELY for one in sniffed.readings)
        and look_like_measures([column.name for column in others]) < 0.5
    )
