"""Which kind of table a file seems to be and which column means what, from the names people use and what columns hold.

Column names are only evidence. Where several columns could be the score, what they hold decides; a name that
says nothing is left alone, because a wrong guess costs the user more than an empty box.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from data.errors import listed
from data.kinds.answer_words import NUMBERS as ANSWER_NUMBERS
from data.kinds.answer_words import is_understood
from data.kinds.definitions import KINDS, kind_named
from data.kinds.foreign_names import FOREIGN
from data.kinds.kind import CODED, CanonicalColumn, Kind
from data.kinds.scale_words import places_of
from data.kinds.shared_columns import EXPECTED, FULL_TEXT
from data.mapping.behaviour import (
    answers_of_crossing,
    are_ratings_beside,
    crossing_of,
    is_attribute_of_raters,
    may_be_condition,
    may_be_metric,
    may_be_rating,
    seconds_of,
)
from data.mapping.names import plain_name
from data.mapping.plan import FALSE_CHECKS, RESERVED, ROW, SWITCHES, VALUES, FileMapping
from data.mapping.values import SAID, as_entry, noted, scaled, values_to_map
from data.tables.sniffed import Known, Sniffed, SniffedColumn, begins_with_number, is_number


@dataclass(frozen=True)
class Proposal:
    """What a file seems to hold. `notes` are sentences that say what was guessed and why."""

    kind: str
    mapping: FileMapping
    notes: tuple[str, ...] = field(default=())


_SLOT = re.compile(
    r"(.*[^a-z])?(slot|rating|vote|score|label|answer|rep|repetition|judge?ment|annotation|opinion|value|r|a|v)"
    r"[ _.-]?\d+",
    re.IGNORECASE,
)
_ATTRIBUTES = (
    *("age", "gender", "sex", "country", "device", "knowledge", "education", "nativelanguage"),
    *FOREIGN["attribute"],
)
_LABELS = ("choice", "label", "answer", "preference", *FOREIGN["choice"])
_CLASSES = ("label", "etikett", "etiquette", "etiqueta", "标签", "ラベル")
"""Names of columns that hold labels; in one called label, numbers from 0 on are classes and no scale."""
_YES = ("1", "1.0", "true", "yes", "y", "t")
_FEW_VALUES = 101
_MOST_COLUMNS = 40
_SCALES = ((0, 1), (1, 5), (0, 5), (1, 7), (0, 7), (1, 11), (0, 11), (-3, 3), (-10, 10), (0, 100))


def holds_truth(sniffed: Sniffed) -> bool:
    """Whether a file has crowd-kit's known answers: items and labels, and nobody who gave them."""
    return {plain_name(name) for name in sniffed.names} in ({"task", "label"}, {"task", "truelabel"})


def propose(sniffed: Sniffed, kind: str | None = None) -> Proposal:
    """The kind a file seems to be and where its columns seem to be found; `kind` asks for that one.

    A proposal may lack required columns; then a note says which the user must choose.
    """
    notes: list[str] = []
    sniffed, as_found = scaled(sniffed), sniffed
    known = sniffed.known if sniffed.known and kind in (None, sniffed.known.kind) else None
    guessed = kind is None
    kind = known.kind if known else kind or _kind_of(sniffed)
    declared = kind_named(kind)
    mapping: dict[str, str | tuple[str, ...]] = dict(_by_name(sniffed, declared))
    if not known and kind in ("ratings", "choices") and not {"item_id", "rater_id"} & set(mapping):
        kind = _by_values(sniffed, kind, guessed, mapping, notes)
        declared = kind_named(kind)
    if known:
        mapping = _completed(sniffed, known)
    elif kind == "ratings":
        mapping = _as_ratings(sniffed, mapping, notes)
    elif kind == "relevance":
        mapping = _as_judgments(sniffed, mapping, notes)
    elif declared.further:
        _add_further(sniffed, declared, mapping, numbers="item number" in declared.further)
    if kind == "choices":
        _tell_numbers(sniffed, mapping, notes)
    if kind == "comprehension":
        _tell_answers(sniffed, mapping, notes)
    shared = seconds_of(sniffed, mapping) if "@seconds" in declared.switches else None
    if shared:
        mapping["@seconds"] = shared[0]
        notes += [note for note in shared[1:] if note]
    values = values_to_map(as_found, declared, mapping)
    mapping |= {VALUES + name: as_entry(rows) for name, rows in values.items() if as_entry(rows)}
    notes += noted(values)
    if sniffed.decimal == ",":
        mapping["@decimal"] = ","
        notes.append("Numbers are written with a decimal comma.")
    if not sniffed.header:
        mapping["@header"] = "no"
    if sniffed.format:
        mapping["@format"] = sniffed.format
    named = declared.forms.get(str(mapping.get("@form")))
    missing = [name for name in declared.required if name not in mapping and name != named]
    for name in missing:
        column = declared.column(name)
        assert column is not None
        notes.append(f"No column was recognised as {name} ({column.help.rstrip('.').lower()}); choose one.")
    if guessed and holds_truth(sniffed):
        notes = [
            "These are known answers of items, without who rated them. Save the file with the labels first; then add "
            "this one to it as gold."
        ]
    if declared.needs_further and all(name[0] == "@" or declared.column(name) for name in mapping):
        notes.append("No further column holds numbers; choose at least one.")
    return Proposal(kind, mapping, tuple(notes))


def _by_values(
    sniffed: Sniffed,
    kind: str,
    guessed: bool,
    mapping: dict[str, str | tuple[str, ...]],
    notes: list[str],
) -> str:
    """Items, raters and what they gave where no header names them: by how the columns behave towards each other."""
    crossing = crossing_of(sniffed, [name for name in mapping.values() if isinstance(name, str)])
    if crossing is None:
        return kind
    answer = "score" if kind == "ratings" else "choice"
    if answer not in mapping:
        numbers, labels = answers_of_crossing(sniffed, crossing)
        if guessed and not numbers and len(labels) == 1:
            kind, answer = "choices", "choice"
        able = numbers if answer == "score" else numbers + labels
        if not able:
            return kind
        if len(able) == 1 or answer == "choice":
            mapping[answer] = able[0].name
        told = listed([column.name for column in able])
    else:
        told = f"'{mapping[answer]}'"
    mapping |= {"item_id": crossing.item.name, "rater_id": crossing.rater.name}
    order = [*(column.name for column in KINDS[kind].columns)]
    for name in sorted(mapping, key=lambda name: order.index(name) if name in order else len(order)):
        mapping[name] = mapping.pop(name)
    notes.append(
        f'No header names the items and raters; judged by the values, "{crossing.item.name}" is taken for the item, '
        f'"{crossing.rater.name}" for the rater ({crossing.why}), and {told} for what raters gave. Check this.'
    )
    return kind


def _completed(sniffed: Sniffed, known: Known) -> dict[str, str | tuple[str, ...]]:
    """What a format knows of its columns, and what those tell by name that it leaves open."""
    kind = KINDS[known.kind]
    mapping = dict(known.mapping)
    rest = replace(sniffed, columns=tuple(column for column in sniffed.columns if column.name in known.open))
    guessed: dict[str, str | tuple[str, ...]] = {
        name: source
        for name, source in _by_name(rest, kind).items()
        if name not in {*mapping, *kind.required}
    }
    _add_further(rest, kind, guessed, numbers="item number" in kind.further)
    return mapping | {name: source for name, source in guessed.items() if name not in mapping}


def _kind_of(sniffed: Sniffed) -> str:
    names = {plain_name(name) for name in sniffed.names}
    for kind in KINDS.values():
        if kind.telling and all(names & set(group) for group in kind.telling):
            coded = {column.name for column in kind.columns if column.required and column.type in CODED}
            if coded <= set(_by_name(sniffed, kind)):
                return kind.name
    if _are_judgments_beside(sniffed):
        return "relevance"
    if _are_metrics(sniffed):
        return "metrics"
    return "choices" if _are_choices(sniffed) else "ratings"


def _are_judgments_beside(sniffed: Sniffed) -> bool:
    """Raters, events and documents, and columns of judgments, one of which is called full text."""
    by_name = _by_name(sniffed, KINDS["relevance"])
    named = {plain_name(name) for name in _judgments_beside(sniffed, by_name)}
    return (
        {"rater_id", "event_id", "document_id"} <= set(by_name)
        and len(named) > 1
        and bool(named & set(FULL_TEXT))
    )


def _judgments_beside(sniffed: Sniffed, mapping: Mapping[str, object]) -> tuple[str, ...]:
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
    """Two columns of options and none of scores, or a column of labels: words, or numbers that say classes."""
    sources = _by_name(sniffed, KINDS["choices"])
    by_name = {column.name: column for column in sniffed.columns}
    chosen = by_name[sources["choice"]] if "choice" in sources else None
    if "option_a" in sources and "option_b" in sources:
        if chosen is None:
            return all(by_name[sources[option]].numbers < 0.5 for option in ("option_a", "option_b"))
        return chosen.numbers < 0.5 or (chosen.low >= -1 and chosen.high <= 2)
    plain = {plain_name(column.name): column for column in sniffed.columns}
    labels = next((plain[name] for name in _LABELS if name in plain), None)
    scored = {"score", "rating", *FOREIGN["score"]} & set(plain)
    if labels is None or not labels.filled or labels.distinct > 20 or scored:
        return False
    if labels.numbers + labels.leading_numbers < 0.5:
        return True
    gold = next((plain[name] for name in ("gold", *EXPECTED) if name in plain), None)
    same = gold is not None and (gold.low, gold.high) == (labels.low, labels.high)
    counted = plain_name(labels.name) in _CLASSES and (labels.low, labels.high) == (0, labels.distinct - 1)
    return labels.numbers >= 0.95 and ((same and labels.distinct == 2) or counted)


def _are_metrics(sniffed: Sniffed) -> bool:
    """One row per item, and beside the item nothing but numbers that no scale of ratings explains."""
    ours = _by_name(sniffed, KINDS["ratings"])
    items = [column for column in sniffed.columns if column.name == ours.get("item_id")]
    if not items or not set(ours) <= {"item_id", "order", "seconds"}:
        return False
    others = [column for column in sniffed.columns if column is not items[0]]
    one_row_each = items[0].distinct == items[0].filled == sniffed.looked_at > 1
    if not (one_row_each and others and all(_further_number(column, KINDS["metrics"]) for column in others)):
        return False
    beside = _beside(sniffed, None, {"item_id": items[0].name})
    return len(beside) < 2 or not all(
        _named_as_rating(column.name) or _in_steps(column) for column in others if column.name in beside
    )


def _named_as_rating(name: str) -> bool:
    """Whether a column is called by a rater or a repetition: rater1, slot 2."""
    rater = KINDS["ratings"].column("rater_id")
    assert rater is not None
    return _SLOT.fullmatch(name) is not None or plain_name(name).rstrip("0123456789") in rater.names


def _in_steps(column: SniffedColumn) -> bool:
    """Whether the numbers are whole, half or quarter steps, as raters give them."""
    written = [example.replace(",", ".") for example in column.examples]
    return all((4 * float(cell)).is_integer() for cell in written if is_number(cell))


def _by_name(sniffed: Sniffed, kind: Kind) -> dict[str, str]:
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
        return column.filled == 0 or any(
            is_understood(canonical.type, example) for example in column.examples
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


def _as_ratings(
    sniffed: Sniffed, mapping: dict[str, str | tuple[str, ...]], notes: list[str]
) -> dict[str, str | tuple[str, ...]]:
    if "score" not in mapping and "item_id" in mapping and "rater_id" in mapping:
        used = set(mapping.values())
        able = are_ratings_beside([c for c in sniffed.columns if c.name not in used], sniffed)
        if len(able) == 1:
            mapping["score"] = able[0].name
            notes.append(
                f'"{able[0].name}" is taken for the rating: no other column of numbers varies within items and raters.'
            )
    wide = _wide(sniffed, mapping, notes)
    if wide:
        of_the_whole_row = {"score", "check", "expected"} | (
            {"seconds"} if wide["@form"] == "rater columns" else set()
        )
        kept = {name: source for name, source in mapping.items() if name not in of_the_whole_row} | wide
        order = [*(column.name for column in KINDS["ratings"].columns), *SWITCHES]
        mapping = {name: kept[name] for name in order if name in kept}
    score = next((column for column in sniffed.columns if column.name == mapping.get("score")), None)
    if score is not None and score.leading_numbers and score.leading_numbers + score.numbers >= 0.95:
        mapping["@scores"] = "leading number"
        text = next((text for text in score.examples if begins_with_number(text)), score.examples[0])
        notes.append(f'The scores are texts such as "{text}"; the number they begin with is taken.')
    _add_further(sniffed, KINDS["ratings"], mapping, numbers=not wide)
    return mapping


def _as_judgments(
    sniffed: Sniffed, mapping: dict[str, str | tuple[str, ...]], notes: list[str]
) -> dict[str, str | tuple[str, ...]]:
    beside = _judgments_beside(sniffed, mapping)
    if len(beside) > 1 and mapping.get("surrogate", beside[0]) in beside:
        of_one_judgment = {"surrogate", "seconds", "session", "presentation"}
        mapping = {name: source for name, source in mapping.items() if name not in of_one_judgment}
        mapping |= {"judgment": beside, "@form": "surrogate columns"}
        shown = listed(beside[:3]) + (" …" if len(beside) > 3 else "")
        notes.append(
            f"{len(beside)} columns with judgments stand side by side ({shown}): one column per surrogate. "
            "Numbers known for each surrogate, such as ROUGE or seconds, need the layout "
            "with one row per judgment."
        )
    else:
        _add_further(sniffed, KINDS["relevance"], mapping)
    return mapping


def _tell_answers(sniffed: Sniffed, mapping: dict[str, str | tuple[str, ...]], notes: list[str]) -> None:
    """What the numbers mean where answers are numbers, guessed from those that occur."""
    told = next((column for column in sniffed.columns if column.name == mapping.get("answer")), None)
    if told is None or told.numbers < 0.5:
        return
    numbers = "1 2 3 4" if told.high > 3 else ANSWER_NUMBERS[0]
    mapping["@answers"] = numbers
    notes.append(
        f"Answers are numbers; {numbers} are taken for R, P, I and N, in this order. Choose below where that is not so."
    )


def _tell_numbers(sniffed: Sniffed, mapping: dict[str, str | tuple[str, ...]], notes: list[str]) -> None:
    """What the numbers mean where one of two options is told by a number, guessed from those that occur."""
    chosen = next((column for column in sniffed.columns if column.name == mapping.get("choice")), None)
    if chosen is None or "option_a" not in mapping or chosen.numbers < 0.5:
        return
    numbers = "-1 and 1" if chosen.low < 0 else "1 and 2" if chosen.high > 1 else "0 and 1"
    mapping["@numbers"] = numbers
    notes.append(
        f"Choices are numbers; {numbers} are taken for the first and the second option. Choose below where that is "
        "not so."
    )


def _add_further(
    sniffed: Sniffed, kind: Kind, mapping: dict[str, str | tuple[str, ...]], numbers: bool = True
) -> None:
    """Adds the unused columns that the kind can keep: attributes of raters, and numbers of the items."""
    used = {name for source in mapping.values() for name in ([source] if isinstance(source, str) else source)}
    for column in sniffed.columns:
        plain = plain_name(column.name)
        if column.name in used or not plain:
            continue
        attribute = f"rater_{plain}" if plain in _ATTRIBUTES else column.name.casefold()
        if is_attribute_of_raters(column, sniffed) and not attribute.startswith("rater_"):
            attribute = f"rater_{plain}"
        of_rater = "rater attribute" in kind.further and attribute.startswith("rater_")
        if of_rater and attribute not in mapping:
            mapping[attribute] = column.name
        elif (
            numbers
            and _further_number(column, kind)
            and may_be_metric(column, sniffed)
            and len(mapping) < _MOST_COLUMNS
        ):
            mapping[column.name] = column.name


def _further_number(column: SniffedColumn, kind: Kind) -> bool:
    ours = {canonical.name for canonical in kind.columns} | RESERVED
    return (
        column.filled > 0
        and column.numbers >= (0.8 if kind.needs_further else 1)
        and column.name.casefold() not in ours
        and not column.name.startswith("@")
        and len(column.name) <= 60
    )


def _wide(
    sniffed: Sniffed, mapping: Mapping[str, str | tuple[str, ...]], notes: list[str]
) -> dict[str, str | tuple[str, ...]]:
    """The columns that hold ratings side by side, and what tells them apart; nothing for the long form."""
    if sniffed.slots and "rater_id" in mapping:
        ratings, items = zip(*sniffed.slots, strict=True)
        notes.append(
            f'Each row holds {len(ratings)} ratings, each with a column that names its item ("{ratings[0]}" is of '
            f'"{items[0]}"); they become rows of their own.'
        )
        return {"item_id": items, "score": ratings, "@form": "item columns"}
    score = mapping.get("score")
    if score and ("measure" in mapping or not _beside(sniffed, score)):
        return {}
    if score and "rater_id" in mapping and "item_id" in mapping:
        return {}
    if score and not all(_named_as_rating(name) for name in _beside(sniffed, score) if name != score):
        return {}  # one column is called the score, and what stands beside it is something else
    side_by_side = _beside(sniffed, None, mapping)
    if len(side_by_side) < 2:
        return {}
    item, rater = "item_id" in mapping, "rater_id" in mapping
    stand = f"{len(side_by_side)} columns with scores stand side by side ({listed(side_by_side[:3])} …)"
    if item and rater:
        notes.append(f"{stand}: one column per measure.")
        return {"score": side_by_side, "@form": "measure columns"}
    if rater:
        notes.append(f"{stand}: one column per item.")
        return {"score": side_by_side, "@form": "item columns"}
    slots = all(_SLOT.fullmatch(name) for name in side_by_side) and sniffed.header
    wide: dict[str, str | tuple[str, ...]] = {"score": side_by_side, "@form": "rater columns"}
    if not item and (not sniffed.header or len(side_by_side) == len(sniffed.names)):
        wide["item_id"] = ROW
        notes.append("No column names the items; they are called by their row.")
    if slots:
        wide["@raters"] = "slots"
        notes.append(f"{stand}: one column per rating, not per person, as the names seem to say.")
    else:
        notes.append(f"{stand}: one column per rater.")
    return wide


def _beside(
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
        scale = next(
            ((low, high) for low, high in _SCALES if low <= column.low and column.high <= high), None
        )
        by_scale.setdefault(scale, []).append(column.name)
    by_scale.pop(None, None)
    if score is not None:
        return next((tuple(names) for names in by_scale.values() if score in names and len(names) > 1), ())
    return max((tuple(names) for names in by_scale.values()), key=len, default=())
