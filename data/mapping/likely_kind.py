"""Kind of table that a file seems to be, also one without a rating, which tells about a study."""

from collections.abc import Mapping

from analysis.values.estimate import thousands
from data.kinds.answer_words import is_understood
from data.kinds.definitions import ADDITIONS, KINDS, kind_named
from data.kinds.kind import ATTRIBUTES, CODED, EXPECTED, FULL_TEXT, ITEM, RATER, STATUS
from data.kinds.likely_names import look_like_measures
from data.kinds.names import FOREIGN, plain_name
from data.mapping.columns import add_further, columns_by_name, find_named_column, is_further_number
from data.mapping.plan import FileMapping
from data.mapping.values import RATING_NAMES
from data.tables.sniffed import SURVEY, Sniffed, SniffedColumn

LIKELY = 0.45
"""Least evidence of a reading that is taken."""
LABELS = ("choice", "label", "answer", "preference", *FOREIGN["choice"])
"""Names of columns that hold labels, in which numbers may be classes and no scale."""


def kind_of(sniffed: Sniffed) -> str:
    names = {plain_name(name) for name in sniffed.names}
    for kind in KINDS.values():
        if kind.telling and all(names & set(group) for group in kind.telling):
            coded = {column.name for column in kind.columns if column.required and column.type in CODED}
            by_name = columns_by_name(sniffed, kind)
            judgment = by_name.get("judgment")
            # relevance is a measure where judgments go beyond 0 and 1, or ids name topic and system
            are_ratings = (judgment is not None and sniffed.format == "ids of several parts") or any(
                column.name == judgment and column.numbers >= 0.5 and (column.low < 0 or column.high > 1)
                for column in sniffed.columns
            )
            if coded <= {*by_name} and not are_ratings:
                return kind.name
    if _has_judgment_columns(sniffed):
        return "relevance"
    if _are_metrics(sniffed):
        return "metrics"
    return "choices" if _are_choices(sniffed) else "ratings"


def _has_judgment_columns(sniffed: Sniffed) -> bool:
    """Return True for raters, or files of them, events, documents and columns of judgments, one called full text."""
    by_name = columns_by_name(sniffed, KINDS["relevance"])
    judgment_names = {plain_name(name) for name in find_judgment_columns(sniffed, by_name)}
    return (
        "document_id" in by_name
        and ("event_id" in by_name or bool(judgment_names & {"fulltext", "fulldocument"}))
        and ("rater_id" in by_name or bool(sniffed.parts))
        and len(judgment_names) > 1
        and bool(judgment_names & set(FULL_TEXT))
    )


def find_judgment_columns(sniffed: Sniffed, mapping: Mapping[str, object]) -> tuple[str, ...]:
    """Return the columns that hold judgments of relevance and are nothing else."""
    used_names = {source for name, source in mapping.items() if name not in ("surrogate", "judgment")}
    return tuple(
        column.name
        for column in sniffed.columns
        if column.name not in used_names
        and column.filled
        and column.distinct <= 3  # as many examples as there are
        and all(is_understood("judgment", example) for example in column.examples)
    )


def _are_choices(sniffed: Sniffed) -> bool:
    """Return True for two columns of options and none of scores, or a column of labels in words."""
    sources = columns_by_name(sniffed, KINDS["choices"])
    by_name = {column.name: column for column in sniffed.columns}
    choice = by_name[sources["choice"]] if "choice" in sources else None
    if "option_a" in sources and "option_b" in sources:
        if choice is None:
            return all(by_name[sources[option]].numbers < 0.5 for option in ("option_a", "option_b"))
        return choice.numbers < 0.5 or (choice.low >= -1 and choice.high <= 2)
    column_by_name = {plain_name(column.name): column for column in sniffed.columns}
    labels = next((column_by_name[name] for name in LABELS if name in column_by_name), None)
    scored = {"score", "rating", *FOREIGN["score"]} & set(column_by_name)
    return (
        labels is not None
        and not scored
        and 0 < labels.distinct <= 20
        and labels.numbers + labels.leading_numbers < 0.5
    )


def _are_metrics(sniffed: Sniffed) -> bool:
    """Return True for one row per item with nothing else but numbers, not read as ratings and not
    named as people judge."""
    by_name = columns_by_name(sniffed, KINDS["ratings"])
    items = [column for column in sniffed.columns if column.name == by_name.get("item_id")]
    if not items or not set(by_name) <= {"item_id", "order", "seconds"}:
        return False
    others = [column for column in sniffed.columns if column is not items[0]]
    return (
        items[0].distinct == items[0].filled == sniffed.looked_at > 1
        and bool(others)
        and all(is_further_number(column, KINDS["metrics"]) for column in others)
        and not any(reading.evidence >= LIKELY for reading in sniffed.readings)
        and look_like_measures([column.name for column in others]) < 0.5
    )


_OF_ITEMS, _OF_RATERS = "items of choices", "raters of ratings"
_PROLIFIC = {"submissionid", "participantid", "status"}
_MOST_LABELS = 20
_RATED = 0.5
"""Least evidence of a reading of a table that holds ratings."""


def find_addition(sniffed: Sniffed) -> tuple[str, FileMapping, str] | None:
    """Return the kind of addition of a table without ratings that describes items or raters, its columns, and a
    sentence on what to do with it; None for any other."""
    known_columns, template = (
        sniffed.known,
        "This is a table of {}, not a study. Save the file with the {} first; then {}.",
    )
    if known_columns is not None and known_columns.kind in ADDITIONS:
        content = "numbers of items, such as means over raters, without a single rating"
        sentence = template.format(content, "ratings", "add this one to it, joined by the item")
        return known_columns.kind, known_columns.mapping, sentence
    truth = truth_of(sniffed)
    if truth:
        item, gold = truth
        content = f"gold answers of {thousands(item.distinct)} items, without who rated them"
        sentence = template.format(content, "labels", "add this one to it as gold")
        return _OF_ITEMS, {"item_id": item.name, "gold": gold.name}, sentence
    rater = _find_rater(sniffed)
    if rater is None:
        return None
    kind = kind_named(_OF_RATERS)
    mapping: dict[str, str | tuple[str, ...]] = {**columns_by_name(sniffed, kind), "rater_id": rater.name}
    add_further(sniffed, kind, mapping, numbers=False)
    content = f"{thousands(rater.distinct)} raters and what is known about them, without a rating"
    return _OF_RATERS, mapping, template.format(content, "ratings", "add this one to it, joined by the rater")


def truth_of(sniffed: Sniffed) -> tuple[SniffedColumn, SniffedColumn] | None:
    """Return the column of items and that of known answers, where a file has these two and nothing else that could be
    somebody or their answer: crowd-kit's, or called gold."""
    column_by_name = {plain_name(column.name): column for column in sniffed.columns}
    gold_names = ("gold", *EXPECTED, *(["label"] if "task" in column_by_name else []))
    item = find_named_column(sniffed, ITEM)
    gold = next((column_by_name[name] for name in gold_names if name in column_by_name), None)
    if item is None or gold is None or item is gold or gold.distinct > _MOST_LABELS:
        return None
    for column in sniffed.columns:
        is_note = column.distinct <= 1 or (
            column.distinct == column.filled and column.numbers < 1
        )  # an id, a time
        if column is not item and column is not gold and (plain_name(column.name) in RATER or not is_note):
            return None
    return (item, gold) if item.distinct == item.filled == sniffed.looked_at else None


def _find_rater(sniffed: Sniffed) -> SniffedColumn | None:
    """Return the column of raters, where each has one row of attributes: Prolific's export, or attributes by name."""
    names = {plain_name(column.name) for column in sniffed.columns}
    is_export = names >= _PROLIFIC
    rater = find_named_column(sniffed, ["participantid"] if is_export else RATER)
    if rater is None or not rater.distinct == rater.filled == sniffed.looked_at > (not is_export):
        return None
    if is_export:
        return rater
    per_rater = {
        name for name in names - {plain_name(rater.name)} if name in ATTRIBUTES or name.startswith("rater")
    }
    others = names & {*RATING_NAMES, *ITEM} - set(STATUS)
    rated = any(reading.evidence >= _RATED or reading.layout == SURVEY for reading in sniffed.readings)
    return rater if per_rater and not others and not rated else None
