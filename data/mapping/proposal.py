"""What a file seems to hold: which kind of table, and which column means what, from the names people use and what
columns hold.

Column names are only evidence. Where several columns could be the score, what they hold decides; a name that
says nothing is left alone, because a wrong guess costs the user more than an empty box.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from analysis.values.columns import thousands
from data.errors import listed
from data.kinds.additions import ADDITIONS
from data.kinds.answer_words import NUMBERS as ANSWER_NUMBERS
from data.kinds.definitions import KINDS, kind_named
from data.kinds.kind import Kind
from data.mapping.additions_alone import alone
from data.mapping.behaviour import seconds_of
from data.mapping.further_columns import add_further
from data.mapping.likely_kind import LIKELY, judgments_beside, kind_of
from data.mapping.named_columns import columns_by_name
from data.mapping.parts import role_of
from data.mapping.plan import NAMES, SWITCHES, VALUES, FileMapping
from data.mapping.values import as_entry, noted, scaled, values_to_map
from data.tables.sniffed import Known, Part, Reading, Sniffed, SniffedColumn, begins_with_number


@dataclass(frozen=True)
class Proposal:
    """What a file seems to hold. `notes` are sentences that say what was guessed and why. `addition`: it has no
    ratings but tells about the items or raters of a study, to which it is to be added as this kind."""

    kind: str
    mapping: FileMapping
    notes: tuple[str, ...] = field(default=())
    addition: str = ""
    reading: Reading | None = None
    other: Reading | None = None
    """The reading that was taken, and another that is about as likely."""


def propose(sniffed: Sniffed, kind: str | None = None) -> Proposal:
    """The kind a file seems to be and where its columns seem to be found; `kind` asks for that one.

    A proposal may lack required columns; then a note says which the user must choose.
    """
    return _with_parts(sniffed, kind) if sniffed.parts else _proposed(sniffed, kind)


def _with_parts(sniffed: Sniffed, kind: str | None) -> Proposal:
    """What files or sheets hold together, and what the columns seem to be that say from which a row comes."""
    names = {part.name for part in sniffed.parts}
    columns = tuple(column for column in sniffed.columns if column.name not in names)
    found = _proposed(replace(sniffed, columns=columns), kind)
    if found.addition:
        return found
    mapping, notes = dict(found.mapping), list(found.notes)
    for part in sniffed.parts:
        role, note = role_of(part, sniffed, kind_named(found.kind), mapping)
        if role:
            mapping[role] = part.name
            mapping.pop(NAMES + role, None)
            notes = [each for each in notes if not each.startswith(_lacks(role))]
        if role == "rater_group" and mapping.get("@form") == "rater columns" and _share(part, mapping):
            mapping["@raters"] = "slots"
            note += " The same columns stand in all of them: one column per rating, not per person."
        notes += [note] if note else []
    return replace(found, mapping=mapping, notes=tuple(notes))


def _share(part: Part, mapping: FileMapping) -> bool:
    """Return True where the columns of answers are filled in several parts."""
    shared = dict(part.shared)
    return any(
        shared.get(column, 0) > 0 for column in (*mapping.get("score", ()), *mapping.get("choice", ()))
    )


def _lacks(name: str) -> str:
    return f"No column was recognised as {name}"


def _proposed(sniffed: Sniffed, kind: str | None) -> Proposal:
    is_table = sniffed.known is None or sniffed.known.kind in ADDITIONS
    found = alone(sniffed) if kind is None and is_table else None
    if found:
        of = found.addition.rpartition(" ")[2]
        return Proposal(of, found.mapping, (found.sentence,), found.addition)
    notes: list[str] = []
    sniffed, as_found = scaled(sniffed), sniffed
    known = sniffed.known if sniffed.known and kind in (None, sniffed.known.kind) else None
    guessed = kind is None
    kind = known.kind if known else kind or kind_of(sniffed)
    reading, other = (None, None) if known else _read(sniffed, kind, guessed)
    kind = reading.kind if reading else kind
    declared = kind_named(kind)
    mapping: dict[str, str | tuple[str, ...]] = dict(columns_by_name(sniffed, declared))
    if known:
        mapping = _completed(sniffed, known, notes)
    elif reading:
        mapping = _as_read(sniffed, declared, reading, mapping, notes)
    elif kind == "ratings":
        notes += add_further(sniffed, declared, mapping)
    elif kind == "relevance":
        mapping = _as_judgments(sniffed, mapping, notes)
    elif declared.further:
        notes += add_further(sniffed, declared, mapping, numbers="item number" in declared.further)
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
    notes += noted(declared, values)
    if sniffed.decimal == ",":
        mapping["@decimal"] = ","
        notes.append("Numbers are written with a decimal comma.")
    if not sniffed.header:
        mapping["@header"] = "no"
    if sniffed.format:
        mapping["@format"] = sniffed.format
    mapping |= dict(sniffed.settings)
    named = declared.forms.get(str(mapping.get("@form")))
    missing = [name for name in declared.required if name not in mapping and name != named]
    for name in missing:
        column = declared.column(name)
        assert column is not None
        notes.append(f"{_lacks(name)} ({column.help.rstrip('.').lower()}); choose one.")
    if declared.needs_further and all(name[0] == "@" or declared.column(name) for name in mapping):
        notes.append("No further column holds numbers; choose at least one.")
    return Proposal(kind, mapping, tuple(notes), reading=reading, other=other)


def in_two_ways(one: Reading, other: Reading) -> str:
    """Return the question which of two readings is right."""
    kind = KINDS[one.kind]
    ways = [
        f"{each.layout} ({thousands(each.raters)} raters, {thousands(each.items)} items)"
        for each in (one, other)
    ]
    return (
        f"this table can be read in two ways: {ways[0]}, or {ways[1]}. Only who knows the {kind.rows} can tell; give a "
        "mapping that says which columns are the items and the raters"
    )


_CLOSE, _SURE = 0.2, 0.6
"""By how much another reading may have less evidence and still be asked about, and evidence that needs no other."""
_OF_ONE_RATING = ("score", "check", "expected", "choice")
"""Columns that tell of one rating, and say nothing where a row holds several."""


def _read(sniffed: Sniffed, kind: str, guessed: bool) -> tuple[Reading | None, Reading | None]:
    """The likeliest reading of this kind, or of any where it was guessed, and another that is about as likely."""
    if kind not in ("ratings", "choices"):
        return None, None
    if kind == "choices" and {"option_a", "option_b"} <= set(columns_by_name(sniffed, KINDS[kind])):
        return None, None
    able = [one for one in sniffed.readings if guessed or one.kind == kind]
    ordered = sorted(able, key=lambda one: -one.evidence)
    if not ordered or ordered[0].evidence < LIKELY:
        return None, None
    best = ordered[0]
    others = [
        one
        for one in ordered[1:]
        if one.kind == best.kind and best.evidence - one.evidence < _CLOSE and one.mapping != best.mapping
    ]
    if best.evidence < _SURE and not others:
        return None, None
    return best, others[0] if others else None


def _as_read(
    sniffed: Sniffed,
    kind: Kind,
    reading: Reading,
    by_name: Mapping[str, str | tuple[str, ...]],
    notes: list[str],
) -> dict[str, str | tuple[str, ...]]:
    """The reading, and what its names tell of the columns that it does not use."""
    form = reading.mapping.get("@form")
    left = {"item_id", "rater_id", kind.cells or "choice", "measure", "design"}
    left |= set(_OF_ONE_RATING) if form else set()
    left |= {"seconds"} if form == "rater columns" else set()
    cells = reading.mapping[kind.cells]
    answers = {cells} if isinstance(cells, str) else set(cells)
    left |= {"text"} if by_name.get("text") == reading.mapping.get("item_id") else set()
    rest = {name: source for name, source in by_name.items() if name not in left and source not in answers}
    found = {**rest, **reading.mapping}
    item = found.get("item_id", "")
    parts = [] if isinstance(item, str) else [part for part in item if part not in found.values()]
    if parts and kind.column("topic") and "topic" not in found and found.get("system") in item:
        found["topic"] = parts[0]
    order = [*(column.name for column in kind.columns), *SWITCHES]
    mapping = {name: found[name] for name in (*order, *found) if name in found}
    notes += reading.notes
    score = next((column for column in sniffed.columns if column.name in answers), None)
    if kind.name == "ratings" and score is not None and _begin_with_numbers(score):
        mapping["@scores"] = "leading number"
        text = next((text for text in score.examples if begins_with_number(text)), score.examples[0])
        notes.append(f'The scores are texts such as "{text}"; the number they begin with is taken.')
    notes += add_further(sniffed, kind, mapping, numbers=kind.name == "ratings" and not form)
    return mapping


def _begin_with_numbers(column: SniffedColumn) -> bool:
    return column.leading_numbers > 0 and column.leading_numbers + column.numbers >= 0.95


def _completed(sniffed: Sniffed, known: Known, notes: list[str]) -> dict[str, str | tuple[str, ...]]:
    """What a format knows of its columns, and what those tell by name that it leaves open."""
    kind = KINDS[known.kind]
    mapping = dict(known.mapping)
    rest = replace(sniffed, columns=tuple(column for column in sniffed.columns if column.name in known.open))
    mapping |= {
        name: source
        for name, source in columns_by_name(rest, kind).items()
        if name not in {*mapping, *kind.required}
    }
    notes += add_further(rest, kind, mapping, numbers="item number" in kind.further)
    return mapping


def _as_judgments(
    sniffed: Sniffed, mapping: dict[str, str | tuple[str, ...]], notes: list[str]
) -> dict[str, str | tuple[str, ...]]:
    beside = judgments_beside(sniffed, mapping)
    if len(beside) > 1 and mapping.get("surrogate", beside[0]) in beside:
        of_one_judgment = {"surrogate", "seconds", "session", "presentation"}
        mapping = {name: source for name, source in mapping.items() if name not in of_one_judgment}
        mapping |= {"judgment": beside, "@form": "surrogate columns"}
        shown = listed(beside[:3]) + (" …" if len(beside) > 3 else "")
        notes.append(
            f"{len(beside)} columns hold judgments ({shown}): one column per surrogate. "
            "Numbers known for each surrogate, such as ROUGE or seconds, need the layout "
            "with one row per judgment."
        )
    else:
        notes += add_further(sniffed, KINDS["relevance"], mapping)
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
