"""Proposal of a reading: kind of table, and meaning of each column, from the names people use and what
columns hold.

Column names are only evidence. Where several columns could be the score, what they hold decides; a name that
says nothing is left alone, because a wrong guess costs the user more than an empty box. Several files, or sheets of a
workbook, are groups of raters where the raters differ, measures where the same raters rate the same items, and raters
where each holds one rater's rows and no column names them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod

from analysis.values.estimate import thousands
from data.errors import AmbiguousReading, BadMapping, list_first, listed
from data.kinds.answer_words import ANSWER_NUMBERS
from data.kinds.definitions import ADDITIONS, KINDS, kind_named
from data.kinds.kind import Kind, options_of, sides_of
from data.kinds.label_sets import LIST, SEPARATORS
from data.kinds.likely_names import (
    ITEM_PARTS,
    are_groups,
    is_called_rater,
    look_like_items,
    look_like_measures,
    look_like_raters,
)
from data.kinds.names import plain_name, stem_and_number
from data.kinds.studies import GRADE_COLUMNS, LABEL_SETS, RANKINGS
from data.mapping.columns import add_further, are_sides, columns_by_name, seconds_of
from data.mapping.likely_kind import LIKELY, find_addition, find_judgment_columns, kind_of
from data.mapping.plan import NAMES, ROW, SWITCHES, VALUES, FileMapping
from data.mapping.values import as_entry, describe_values, scaled, values_to_map
from data.tables.sniffed import (
    ASKED,
    Known,
    Part,
    Reading,
    Sniffed,
    begins_with_number,
    named_by,
)

_MANY = 0.5
"""Least share of common names of files with the same raters or items."""
_NUMBERED = re.compile(
    r"((batch|part|chunk|run|day|week|wave|export|results?)?[ _-]*\d+[ _-]*)+", re.IGNORECASE
)
_SHOWN = 3
NAMED_PARTS = {"measure": "measure from ", "rater_group": "group from ", "rater_id": "rater from "}
"""Beginnings of the columns that name the file or sheet of a row, where their names have two parts."""
_LIKE = 0.6


def role_of(part: Part, sniffed: Sniffed, kind: Kind, mapping: FileMapping) -> tuple[str, str]:
    """Return the canonical column that a column of parts seems to be, or "", and a sentence about it."""
    label = f'"{part.name}" ({", ".join(part.values[:_SHOWN])}{" …" if len(part.values) > _SHOWN else ""})'
    shared_values = dict(part.shared)
    wide = mapping.get("@form")

    def in_common(name: str) -> float:
        source = mapping.get(name, "")
        if wide and kind.forms[str(wide)] == name:
            columns = mapping[kind.cells_of(wide)]
            return sum(shared_values.get(column, 0) > 0 for column in columns) / max(len(columns), 1)
        return shared_values.get(source, 0.0) if isinstance(source, str) else 1.0

    one_each = f"No column names the raters; {label} is taken for them: one rater each. Check this."
    if mapping.get("rater_id") == part.name:
        return "", one_each
    if part.name in named_by(mapping.get("item_id", ())):
        return "", f"{label} is taken for a part of the {kind.title_of('item_id').lower()}. Check this."
    named_role = next((role for role, begin in NAMED_PARTS.items() if part.name.startswith(begin)), "")
    if named_role and named_role not in mapping and kind.column(named_role):
        return (
            named_role,
            f"{label} are taken for {kind.title_of(named_role)}s, as the names say. Check this.",
        )
    if kind.name == "relevance" and "rater_id" not in mapping and not _only_counts(part):
        return "rater_id", one_each
    if kind.column("rater_group") is None:
        return "", f"{label} says from where a row comes; it is kept out."
    by_rater = mapping.get("rater_id") or (wide and kind.forms[str(wide)] == "rater_id")
    by_measure = mapping.get("measure") or (wide and kind.forms[str(wide)] == "measure")
    if by_rater and not by_measure and kind.column("measure") and look_like_measures(part.values) >= _LIKE:
        return "measure", f"{label} are taken for measures, as they are called."
    if "rater_id" not in mapping and not (wide and kind.forms[str(wide)] == "rater_id"):
        return ("rater_id", one_each) if _is_one_rater(part, sniffed, mapping) else ("", "")
    if mapping.get("rater_id") in part.alone:
        return "", f"Each of {label} holds one rater."
    nameless = mapping.get("@raters") == "slots" or (wide == "rater columns" and not sniffed.header)
    share_of_raters = 0.0 if nameless else in_common("rater_id")
    if not share_of_raters and "rater_group" not in mapping:
        if _only_counts(part):
            return (
                "",
                f"{label} only counts, so its parts are taken for batches. If they are groups, say so.",
            )
        reason = "No column names the raters in" if nameless else "No rater is in two of"
        return "rater_group", f"{reason} {label}: they are taken for groups of raters. Check this."
    if share_of_raters >= _MANY and in_common("item_id") >= _MANY:
        separate = next((name for name in ("measure", "design") if kind.column(name)), "")
        if separate and separate not in mapping and not (wide and kind.forms[str(wide)] == separate):
            return separate, (
                f"The same raters rated the same items in {label}: they are taken for "
                f"{kind.title_of(separate)}s. If they are other people of the same names, choose group."
            )
    return "", f"{label} is not used: its parts are taken for further rows of the same study."


def _only_counts(part: Part) -> bool:
    return all(_NUMBERED.fullmatch(value) for value in part.values)


def _is_one_rater(part: Part, sniffed: Sniffed, mapping: FileMapping) -> bool:
    """Return True where each part has its ratings, no item repeats in it, and parts are not named as items or
    measures."""
    names = named_by(mapping.get("item_id", ()))
    items = [column for column in sniffed.columns if column.name in names]
    if not items or len(part.values) < 2 or not {"score", "choice"} & {*mapping}:
        return False
    if look_like_items(part.values) >= _LIKE > look_like_raters(part.values):
        return False
    if look_like_measures(part.values) >= _LIKE:
        return False
    stems = {stem_and_number(name) for name in named_by(mapping.get("score", ()))}
    if (
        len(stems) > 1 and len({stem for stem, _ in stems}) == 1
    ):  # Cupper 1 and Cupper 2 in a sheet for each measure
        return False
    return items[0].filled <= prod(item.distinct for item in items) * len(part.values)


@dataclass(frozen=True)
class Proposal:
    """Proposal of a reading. `notes` are sentences that say what was guessed and why. `addition`: it has no
    ratings but tells about the items or raters of a study, to which it is to be added as this kind."""

    kind: str
    mapping: FileMapping
    notes: tuple[str, ...] = field(default=())
    addition: str = ""
    reading: Reading | None = None
    other: Reading | None = None
    """The reading that was taken, and another that is about as likely."""
    doubt: str = ""
    """Reason against the likeliest reading, and what must be mapped; "" where one was taken."""
    has_reason: bool = False
    """True where `doubt` has a reason that lies in the table, which a choice of columns may not settle."""
    unsure: Reading | None = None
    """The only reading, where its evidence is too weak to take it without a question."""


def propose(sniffed: Sniffed, kind: str | None = None) -> Proposal:
    """Return the kind that a file seems to be and its mapping; `kind` asks for that one.

    A proposal may lack required columns; then a note says which the user must choose.
    """
    return _propose_with_parts(sniffed, kind) if sniffed.parts else _propose_table(sniffed, kind)


def _propose_with_parts(sniffed: Sniffed, kind: str | None) -> Proposal:
    """Return the proposal for several files or sheets as one table, and the roles of the columns that name them."""
    names = {part.name for part in sniffed.parts}
    columns = tuple(column for column in sniffed.columns if column.name not in names)
    proposal = _propose_table(replace(sniffed, columns=columns), kind)
    if proposal.addition:
        return proposal
    mapping, notes = dict(proposal.mapping), list(proposal.notes)
    of_systems = None
    for part in sniffed.parts:
        role, note = role_of(part, sniffed, kind_named(proposal.kind), mapping)
        is_unnamed_group = (
            role == "rater_group" and mapping.get("@raters") == "slots" and not are_groups(part.values)
        )
        if (
            (role == "measure" or is_unnamed_group)
            and proposal.reading
            and not proposal.other
            and "system" not in mapping
        ):
            of_systems = of_systems or _as_systems(proposal.reading, part)
        if role:
            mapping[role] = part.name
            mapping.pop(NAMES + role, None)
            notes = [
                text for text in notes if not text.startswith(_missing_note(kind_named(proposal.kind), role))
            ]
        if role in kind_named(proposal.kind).required:
            notes = [text for text in notes if not proposal.doubt.startswith(text)]
            proposal = replace(proposal, doubt="")
        answer_columns = (*mapping.get("score", ()), *mapping.get("choice", ()))
        are_shared = any(dict(part.shared).get(column, 0) > 0 for column in answer_columns)
        if role == "rater_group" and mapping.get("@form") == "rater columns" and are_shared:
            mapping["@raters"] = "slots"
            note += " The same columns stand in all of them: one column per rating, not per person."
        notes += [note] if note else []
    if of_systems and proposal.reading:
        of_groups = "rater_group" in mapping and "measure" not in mapping
        layout = f"one sheet or file per {'group of raters' if of_groups else 'measure'}"
        reading = replace(proposal.reading, layout=layout)
        if of_systems.items == reading.items:
            reading = replace(reading, items=reading.items // len(sniffed.parts[0].values))
        return replace(proposal, mapping=mapping, notes=tuple(notes), reading=reading, other=of_systems)
    return replace(proposal, mapping=mapping, notes=tuple(notes))


def _as_systems(reading: Reading, part: Part) -> Reading | None:
    """Return the reading in which the same raters rated the outputs of other systems for the same items; None where
    names of measures, or a key of several columns, contradict it."""
    item = named_by(reading.mapping.get("item_id", ()))
    form = reading.mapping.get("@form", "long")
    is_measure = part.name.startswith(tuple(NAMED_PARTS.values())) or look_like_measures(part.values) > 0
    if is_measure or form not in ("long", "rater columns") or len(item) != 1:
        return None
    mapping = {**reading.mapping, "item_id": (*item, part.name), "system": part.name}
    items = reading.items * (1 if form == "rater columns" else len(part.values))  # or rows
    return replace(reading, layout="one sheet or file per system", mapping=mapping, items=items)


def _missing_note(kind: Kind, role: str) -> str:
    return f"No column was recognized as the {kind.title_of(role).lower()}"


_NO_RATERS = (
    "No column names the raters, and each row is about something else. Means over raters, or one judgment per item, "
    "cannot be compared. Upload the single ratings."
)


def _differs_in_each_row(sniffed: Sniffed) -> bool:
    """Return True where a column of words has another value in each of several rows, none is called the rater, and
    others hold numbers."""
    names = [
        column for column in sniffed.columns if column.distinct == column.filled == sniffed.looked_at > 1
    ]
    are_named = any(is_called_rater(column.name) for column in sniffed.columns)
    has_numbers = any(column.filled and column.numbers >= 0.95 for column in sniffed.columns)
    return any(column.numbers < 0.5 for column in names) and has_numbers and not are_named


def _repeats_answers(sniffed: Sniffed, mapping: FileMapping) -> bool:
    """Return True where there are more rows than items times raters and measures, so that something tells them apart
    that was not found."""
    distinct = {column.name: column.distinct for column in sniffed.columns}
    named = [role for role in ("item_id", "rater_id", "measure") if role in mapping]
    pairs = prod(distinct.get(name, 1) for role in named for name in named_by(mapping[role]))
    return {"item_id", "rater_id"} <= {*named} and sniffed.looked_at > pairs


def _propose_table(sniffed: Sniffed, kind: str | None) -> Proposal:
    is_table = sniffed.known is None or sniffed.known.kind in ADDITIONS
    addition_found = find_addition(sniffed) if kind is None and is_table else None
    if addition_found:
        addition, means, sentence = addition_found
        return Proposal(addition.rpartition(" ")[2], means, (sentence,), addition)
    notes: list[str] = []
    sniffed, as_found = scaled(sniffed), sniffed
    known = sniffed.known if sniffed.known and kind in (None, sniffed.known.kind) else None
    guessed = kind is None
    kind = known.kind if known else kind or kind_of(sniffed)
    reading, other = (None, None) if known else _choose_readings(sniffed, kind, guessed)
    kind = reading.kind if reading else kind
    likeliest = None if known or reading else next(iter(sniffed.readings), None)
    if guessed and kind == "ratings" and likeliest and likeliest.evidence >= ASKED:
        kind = likeliest.kind  # which is asked about
    declared = kind_named(kind)
    mapping: dict[str, str | tuple[str, ...]] = dict(columns_by_name(sniffed, declared))
    if kind == "choices" and "option_a" in mapping and not reading and not known:
        _complete_pairs(sniffed, mapping, notes)
    if known:
        mapping = _complete_known(sniffed, known, notes)
    elif reading:
        mapping = _complete_reading(sniffed, declared, reading, mapping, notes)
    elif kind == "ratings":
        notes += add_further(sniffed, declared, mapping)
        doubted = (
            likeliest is not None
            and likeliest.evidence < LIKELY
            and mapping.get("score") in likeliest.answers
        )
        if doubted or _repeats_answers(sniffed, mapping):
            mapping.pop("score", None)  # its name alone does not say that it holds ratings of these items
    elif kind == "relevance":
        mapping = _propose_judgments(sniffed, mapping, notes)
    elif declared.further:
        notes += add_further(sniffed, declared, mapping, numbers="item number" in declared.further)
    if "@separator" in declared.switches and not (known or reading):
        mapping["@separator"] = _separator_in(sniffed, mapping)
    if kind in ("choices", "comprehension"):
        _guess_numbers(sniffed, mapping, notes)
    seconds_unit = seconds_of(sniffed, mapping) if "@seconds" in declared.switches else None
    if seconds_unit:
        mapping["@seconds"] = seconds_unit[0]
        notes += [note for note in seconds_unit[1:] if note]
    values = values_to_map(as_found, declared, mapping)
    mapping |= {VALUES + name: as_entry(rows) for name, rows in values.items() if as_entry(rows)}
    notes += describe_values(declared, values)
    if declared.study and "weight" in mapping:
        figures = "means" if kind == "ratings" else "shares and scales"
        notes.append(
            f'"{mapping["weight"]}" is taken for the weight of each {declared.row} in {figures}. Check this.'
        )
    if sniffed.decimal == ",":
        mapping["@decimal"] = ","
    if not sniffed.header:
        mapping["@header"] = "no"
    if sniffed.format:
        mapping["@format"] = sniffed.format
    mapping |= dict(sniffed.settings)
    wide_role = declared.forms.get(str(mapping.get("@form")))
    missing = [name for name in declared.required if name not in mapping and name != wide_role]
    for name in missing:
        column = declared.column(name)
        assert column is not None
        notes.append(f"{_missing_note(declared, name)} ({column.help.rstrip('.').lower()}); choose one.")
    if declared.needs_further and all(name[0] == "@" or declared.column(name) for name in mapping):
        notes.append("No further column holds numbers; choose at least one.")
    doubt, columns = "", "columns of the file"
    if likeliest and missing:
        note = " ".join(likeliest.notes)
        if likeliest.layout:
            note = f"The likeliest layout is {likeliest.layout}, but this is not sure. {note}"
    elif missing and not known and "rater_id" in missing and _differs_in_each_row(sniffed):
        note, columns = _NO_RATERS, f"columns of the file; it has {listed(sniffed.names)}"
    else:
        note = ""
    if note:
        notes.insert(0, note)
        doubt = f"{note} Otherwise, {listed(missing)} must be mapped to {columns}"
    has_reason = bool(doubt and likeliest and likeliest.notes)
    is_unsure = likeliest and likeliest.kind == kind and ASKED <= likeliest.evidence < _SURE
    unsure = likeliest if is_unsure else None
    return Proposal(kind, mapping, tuple(notes), "", reading, other, doubt, has_reason, unsure)


def _describe_reading(reading: Reading, other: Reading) -> str:
    """Return a reading's layout and counts, and, where the other has the same layout, a note that only this one has."""
    raters = "rater" if reading.raters == 1 else "raters"
    counts = f"{thousands(reading.raters)} {raters}, {thousands(reading.items)} {KINDS[reading.kind].items}"
    own_notes = [note for note in reading.notes if note not in other.notes]
    if own_notes and reading.layout == other.layout:
        counts += f"; {own_notes[-1].rstrip('.')}"
    return f"{reading.layout} ({counts})"


def ask_whether(reading: Reading) -> str:
    """Return the question whether the only reading is right."""
    notes = " ".join(reading.notes)
    question = (
        f"this table can be read as {_describe_reading(reading, reading)}, but this is not sure. {notes}"
    )
    return (
        f"{question} Where it is right, give a mapping that says which columns are the items and the raters"
    )


def ask_between(first: Reading, second: Reading) -> str:
    """Return the question which of two readings is right."""
    kinds = dict.fromkeys((first.kind, second.kind))
    settings = (
        "the kind" if len(kinds) > 1 else "a mapping that says which columns are the items and the raters"
    )
    rows = " or ".join(KINDS[kind].rows for kind in kinds)
    descriptions = [_describe_reading(first, second), _describe_reading(second, first)]
    question = f"this table can be read in two ways: {descriptions[0]}, or {descriptions[1]}."
    return f"{question} Only who knows the {rows} can tell; give {settings}"


_CLOSE, _SURE = 0.2, 0.6
"""Largest difference in evidence of readings between which the user is asked, and least evidence that needs no
other."""
_RANKED = 0.98
"""Least evidence of rankings, or of sets of labels, that excludes other kinds."""
_OF_ONE_RATING = ("score", "check", "expected", "choice")
"""Columns about a single rating, which have no meaning where a row holds several."""


def _choose_readings(sniffed: Sniffed, kind: str, guessed: bool) -> tuple[Reading | None, Reading | None]:
    """Return the likeliest reading of this kind, or of any where it was guessed, and another that is about as
    likely."""
    if kind not in ("ratings", "choices", "label sets", "rankings"):
        return None, None
    candidates = [reading for reading in sniffed.readings if guessed or reading.kind == kind]
    ordered = sorted(candidates, key=lambda reading: -reading.evidence)
    is_certain = bool(ordered) and ordered[0].kind == RANKINGS.name and ordered[0].evidence >= _RANKED
    if (
        kind == "choices"
        and {"option_a", "option_b"} <= set(columns_by_name(sniffed, KINDS[kind]))
        and not is_certain
    ):
        return None, None
    if not ordered or ordered[0].evidence < LIKELY:
        return None, None
    best = ordered[0]
    of_doubt = {RANKINGS.name, LABEL_SETS.name}
    alternatives = (
        reading
        for reading in ordered[1:]
        if best.evidence - reading.evidence < _CLOSE
        and (
            reading.kind == best.kind
            or reading.is_rival
            or (best.evidence < _RANKED and of_doubt & {reading.kind, best.kind})
        )
    )
    other = next((reading for reading in alternatives if reading.mapping != best.mapping), None)
    return (best, other) if other or best.evidence >= _SURE else (None, None)


def _complete_reading(
    sniffed: Sniffed,
    kind: Kind,
    reading: Reading,
    by_name: Mapping[str, str | tuple[str, ...]],
    notes: list[str],
) -> dict[str, str | tuple[str, ...]]:
    """Return the mapping of a reading, completed by the names of the columns that it does not use."""
    form = reading.mapping.get("@form")
    excluded = {"item_id", "rater_id", kind.cells or "choice", "measure", "design", "option"}
    excluded |= set(_OF_ONE_RATING) if form else set()
    excluded |= (
        {"seconds", "weight"} if form == "rater columns" else {"weight"} if form == GRADE_COLUMNS else set()
    )
    answers = {
        *reading.answers,
        *(reading.mapping[role] for role in ("system", "topic") if role in reading.mapping),
    }
    excluded |= {"text"} if by_name.get("text") == reading.mapping.get("item_id") else set()
    further = {
        name: source
        for name, source in by_name.items()
        if name not in excluded and source not in answers and NAMES + name not in reading.mapping
    }
    if form == "rater columns" and _is_of_items(sniffed, str(further.get("rater_group", "")), reading):
        of_items = further.pop("rater_group")
        further |= {"condition": of_items} if kind.column("condition") and "condition" not in further else {}
    sources = {**further, **reading.mapping}
    item = sources.get("item_id", "")
    parts = [] if isinstance(item, str) else [part for part in item if part not in sources.values()]
    if parts and kind.column("topic") and "topic" not in sources and sources.get("system") in item:
        sources["topic"] = parts[0]
    order = [*(column.name for column in kind.columns), *SWITCHES]
    mapping = {name: sources[name] for name in (*order, *sources) if name in sources}
    notes += reading.notes
    score = next((column for column in sniffed.columns if column.name in answers), None)
    begins_with_numbers = (
        score is not None and score.leading_numbers > 0 and score.leading_numbers + score.numbers >= 0.95
    )
    if kind.name == "ratings" and score is not None and begins_with_numbers:
        mapping["@scores"] = "leading number"
        text = next((text for text in score.examples if begins_with_number(text)), score.examples[0])
        notes.append(f'The scores are texts such as "{text}"; the number they begin with is taken.')
    notes += add_further(sniffed, kind, mapping, numbers=kind.name == "ratings" and not form)
    return mapping


def _is_of_items(sniffed: Sniffed, group: str, reading: Reading) -> bool:
    """Return True where a column called group tells items apart, as each stands in one row, and not raters."""
    columns = {column.name: column for column in sniffed.columns}
    source = str(reading.mapping.get("item_id"))
    in_one_row = source == ROW or (source in columns and columns[source].distinct >= sniffed.looked_at)
    if group not in columns or not in_one_row:
        return False
    return not are_groups([value for value, _ in columns[group].values])


def _complete_known(sniffed: Sniffed, known: Known, notes: list[str]) -> dict[str, str | tuple[str, ...]]:
    """Return the mapping that a format knows, completed by the names of the columns that it leaves open."""
    kind = KINDS[known.kind]
    mapping = dict(known.mapping)
    open_table = replace(
        sniffed, columns=tuple(column for column in sniffed.columns if column.name in known.open)
    )
    mapping |= {
        name: source
        for name, source in columns_by_name(open_table, kind).items()
        if name not in {*mapping, *kind.required}
    }
    notes += add_further(open_table, kind, mapping, numbers="item number" in kind.further)
    return mapping


def _separator_in(sniffed: Sniffed, mapping: FileMapping) -> str:
    """Return the likely separator of labels in the cells of a table that cannot be read as sets by its values."""
    column_name = mapping.get("labels", mapping.get("gold"))
    column = next((column for column in sniffed.columns if column.name == column_name), None)
    examples = () if column is None else column.examples
    if any(example[:1] == "[" for example in examples):
        return LIST
    return next(
        (separator for separator in SEPARATORS[1:] if any(separator in example for example in examples)),
        SEPARATORS[1],
    )


def _propose_judgments(
    sniffed: Sniffed, mapping: dict[str, str | tuple[str, ...]], notes: list[str]
) -> dict[str, str | tuple[str, ...]]:
    judgment_columns = find_judgment_columns(sniffed, mapping)
    if len(judgment_columns) > 1 and mapping.get("surrogate", judgment_columns[0]) in judgment_columns:
        of_one_judgment = {"surrogate", "seconds", "session", "presentation"}
        mapping = {name: source for name, source in mapping.items() if name not in of_one_judgment}
        mapping |= {"judgment": judgment_columns, "@form": "surrogate columns"}
        examples = list_first(judgment_columns)
        notes.append(
            f"{len(judgment_columns)} columns hold judgments ({examples}): one column per surrogate. Numbers known "
            "for each "
            "surrogate, such as ROUGE or seconds, need the layout with one row per judgment."
        )
    else:
        notes += add_further(sniffed, KINDS["relevance"], mapping)
    return mapping


def _complete_pairs(sniffed: Sniffed, mapping: dict[str, str | tuple[str, ...]], notes: list[str]) -> None:
    """Add an item with another name, and raters side by side, to a table of pairs."""
    unused = [column for column in sniffed.columns if column.name not in mapping.values()]
    items = [
        column.name for column in unused if plain_name(column.name) in ITEM_PARTS and column.distinct > 1
    ]
    readings = [reading for reading in sniffed.readings if {mapping.get("choice")} == {*reading.answers}]
    of_one_side = {name for _, pair in sides_of(sniffed.names) for name in pair}
    likely_items = [reading.mapping["item_id"] for reading in readings if reading.evidence >= LIKELY]
    likely_items = [name for name in likely_items if not of_one_side & {name}]
    items = items or [column.name for column in unused if column.name in likely_items[:1]]
    if "item_id" not in mapping and items:
        mapping["item_id"] = items[0]
        notes.append(f'"{items[0]}" is taken for the item.')
    pair = str(mapping["option_a"]), str(mapping.get("option_b"))
    is_pair = bool({*likely_items} & {pair, *pair}) or {column.name for column in sniffed.columns} <= {
        *mapping.values()
    }
    if "item_id" not in mapping and is_pair and not options_of(pair):
        mapping["item_id"] = pair
        notes.append(f"Each pair of {listed(pair)}, in its order, is taken for an item. Check this.")
    raters = [reading.mapping["rater_id"] for reading in readings if reading.evidence >= LIKELY]
    if "rater_id" not in mapping and raters and isinstance(raters[0], str) and raters[0] in sniffed.names:
        mapping["rater_id"] = raters[0]
        notes.append(f'"{raters[0]}" is taken for the rater.')
    if "choice" in mapping:
        return
    sides, by_name = (pair[0], pair[1]), {column.name: column for column in sniffed.columns}
    side_columns = [column.name for column in unused if are_sides(column, sides, sniffed)]
    varying = [name for name in side_columns if by_name[name].distinct > 1]
    side_columns = side_columns if len(varying) > 1 else varying
    if len(side_columns) == 1 and not are_sides(by_name[side_columns[0]], ("", ""), sniffed):
        return  # it may tell anything of one of the two
    if len(side_columns) == 1:
        mapping["choice"] = side_columns[0]
        notes.append(
            f'"{side_columns[0]}" is taken for the choice: it says which of the two options was preferred.'
        )
    elif len(side_columns) > 1 and "rater_id" not in mapping:
        unique = [column.name for column in unused if column.distinct == column.filled == sniffed.looked_at]
        mapping |= {"item_id": unique[0]} if unique and "item_id" not in mapping else {}
        mapping |= {"choice": tuple(side_columns), "@form": "rater columns"}
        notes.append(
            f"{len(side_columns)} columns hold choices ({list_first(side_columns)}): one column per rater."
        )


def _guess_numbers(sniffed: Sniffed, mapping: dict[str, str | tuple[str, ...]], notes: list[str]) -> None:
    """Guess the meaning of numbers for answers, or for one of two options, from those that occur."""
    name = "choice" if "option_a" in mapping else "answer"
    column = next((column for column in sniffed.columns if column.name == mapping.get(name)), None)
    if column is None or column.numbers < 0.5:
        return
    if name == "answer":
        numbers = mapping["@answers"] = "1 2 3 4" if column.high > 3 else ANSWER_NUMBERS[0]
        note = f"Answers are numbers; {numbers} are taken for R, P, I and N, in this order"
    else:
        numbers = mapping["@numbers"] = (
            "-1 and 1" if column.low < 0 else "1 and 2" if column.high > 1 else "0 and 1"
        )
        note = f"Choices are numbers; {numbers} are taken for the first and the second option"
    notes.append(f"{note}. Choose below where that is not so.")


def complete_mapping(
    sniffed: Sniffed, kind: str | None = None, mapping: FileMapping | None = None
) -> tuple[str, FileMapping]:
    """Return kind and mapping of an import, recognized where they are not given.

    Raises
    ------
    BadMapping
        where the file has no ratings, but tells of the items or raters of a study.
    AmbiguousReading
        where the table can be read in two ways, or in one that is not sure.
    """
    proposal = propose(sniffed, kind)
    if proposal.addition:
        raise BadMapping(proposal.notes[0])
    if mapping is not None:
        return proposal.kind, mapping
    if proposal.reading is not None and proposal.other is not None:
        raise AmbiguousReading(ask_between(proposal.reading, proposal.other))
    if proposal.unsure is not None:
        raise AmbiguousReading(ask_whether(proposal.unsure))
    if proposal.doubt:
        raise BadMapping(proposal.doubt)
    return proposal.kind, proposal.mapping
