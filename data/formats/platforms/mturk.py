"""Results of a batch of Mechanical Turk: an envelope, `Input.*` of the HIT, and `Answer.*` of the assignment.

Where answers are numbered, a column of the same number says which item was in that slot. In batches of the P.808
toolkit `Answer.q3` is the vote on `Answer.Q3_URL`; `Input.Q3` names another clip. Answers may also stand in one cell of
JSON (`Answer.taskAnswers`), or in a column of true and false for every option (`Answer.quality.4`, `Answer.good.true`).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from data.errors import listed
from data.formats.parts.cells import (
    constant_within,
    filled,
    fold,
    item_column,
    marked,
    options_of,
    text_of,
    value_of,
)
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Table
from data.formats.parts.responses import (
    NAMES,
    SEVERAL,
    Response,
    answers_of,
    rankings_of,
    share,
    table_of,
)
from data.kinds.answer_words import SIDES
from data.kinds.definitions import KINDS
from data.kinds.kind import FIRST, SECOND
from data.kinds.names import plain_name
from data.kinds.studies import RATINGS
from data.reading.columns import is_numeric
from data.reading.rankings import SURE, find_ranking, without_ranks
from data.reading.wide_layouts import Pair, are_systems, filler_of, numbered_questions, paired
from data.tables.sniffed import is_number

_JSON = "answer.taskanswers"
_ANSWER = "Answer."
_MOST_ANSWERS, _DEEPEST = 500, 4
_MARKED_ONCE = 0.9
"""The rows, of those that mark any option, that mark exactly one."""


def _unfold_json(table: Table) -> Table:
    """Return the table with one column for each answer in a cell of JSON; itself where it has none."""
    holder = table.first(_JSON)
    other_columns = tuple(name for name in table.names if name != holder)
    answers = dict.fromkeys(
        name for cell in filled(table.head, holder) for name, _ in _leaves(value_of(cell), "", 0)
    )
    added = tuple(name for name in answers if name not in other_columns)[:_MOST_ANSWERS]

    def of_row(row: Cells) -> Cells:
        leaves = dict(_leaves(value_of(row[holder]), "", 0))
        return {
            **{name: row[name] for name in other_columns},
            **{name: leaves.get(name, "") for name in added},
        }

    return table.derived((*other_columns, *added), of_row) if added else table


def _leaves(parsed: Any, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the answers in a value of JSON, by the names that columns of their own would have."""
    if depth > _DEEPEST:
        return
    if isinstance(parsed, list):
        for each in parsed[:1]:
            yield from _leaves(each, name, depth + 1)
    elif isinstance(parsed, dict):
        options = [str(option) for option, marked in parsed.items() if marked is True]
        if name and parsed and all(isinstance(marked, bool) for marked in parsed.values()):
            are_points = len(options) > 1 and all(map(is_number, options))
            yield _ANSWER + name, "" if are_points else text_of(options)
        elif name and set(parsed) <= {"label", "value"}:
            yield from _leaves(next(iter(parsed.values()), ""), name, depth + 1)
        else:
            for key, value in parsed.items():
                yield from _leaves(value, f"{name}.{key}" if name else str(key), depth + 1)
    elif name and parsed is not None:
        yield _ANSWER + name, text_of(parsed).strip()


def _fold_options(table: Table) -> Table:
    """Return the table with one column for each answer whose options have columns of true and false."""
    answers_and_options = {}
    for name in table.prefixed(_ANSWER):
        cells = {cell.casefold() for cell in filled(table.head, name)}
        if cells <= {"true", "false", "on"} and not cells <= {"false"}:  # Answer.quality.4, Answer.good.true
            parts = name[len(_ANSWER) :].split(".")
            *path, option = parts[:-1] if len(parts) > 1 and parts[-1].casefold() in ("true", "on") else parts
            answers_and_options[name] = _ANSWER + (".".join(path) or "answer"), option
    options = options_of(table.head, answers_and_options)
    counts = {answer: [len(marked(row, labels)) for row in table.head] for answer, labels in options.items()}
    once = {
        answer for answer, marks in counts.items() if marks.count(1) >= _MARKED_ONCE * sum(map(bool, marks))
    }
    return fold(table, {answer: labels for answer, labels in options.items() if answer in once})


_ENVELOPE = {"hitid", "assignmentid", "workerid"}
_EXPECTED = re.compile(r"(.+?)_?ans(wer)?", re.IGNORECASE)
_NUMBERED_QUESTION = re.compile(r"\d+_(\D\w*)")
_OF_RATERS = re.compile(
    r"(age|gender|sex|country|nationality|(mother|native|first)[_ ]?(tongue|language)|birth[_ ]?year|education|"
    r"occupation|hearing|headset|device|browser|experience)",
    re.IGNORECASE,
)
_MERGED = "No input names the item: HITs of the same inputs are one, called by the first HIT."
_EACH_HIT = "The inputs are the same in all HITs, so each HIT is an item."
_SECONDS, _NO_RATING = "WorkTimeInSeconds", "the assignment holds no rating"
_OURS = (*NAMES, "HIT", "slot", "option_a", "option_b")
_SYSTEM = {"system", "model", "codec", "method", "algorithm", "engine"}
_TEXTS = next(column.names for column in RATINGS.columns if column.name == "text")
_CALLED = {name for column in RATINGS.columns for name in (column.name.replace("_", ""), *column.names)}
_MOST_SYSTEMS, _TEXT = 50, 25
"""Different values of what may be a system; characters of a text."""


def _rankings(table: Table) -> Canonical | None:
    """Return the table of rankings where answers rank what the inputs of their numbers show, or what they are called
    after; None where they do not."""
    rows, inputs, answered = table.head, table.prefixed("Input."), table.prefixed(_ANSWER)
    ranked, evidence = find_ranking(answered, [[row[name] for name in answered] for row in rows])
    if evidence < SURE:
        return None
    shown = {slot.answer: slot.item for slot in paired(rows, ranked, inputs)}
    ranked = tuple(name for name in ranked if name in shown) if shown else ranked
    options = without_ranks(tuple(name.partition(".")[2] for name in ranked))
    task = item_column(rows, [name for name in inputs if name not in shown.values()]) or table.first("HITId")
    envelope = ("WorkerId", _SECONDS, "SubmitTime", "AssignmentStatus")
    worker, seconds, submitted, status = map(table.first, envelope)

    def responses(line: int, row: Cells) -> Iterator[Response]:
        ranks = [
            (row[shown[name]] if shown else option, row[name])
            for name, option in zip(ranked, options, strict=True)
            if row[name]
        ]
        cells = {"submitted": row.get(submitted, ""), "status": row.get(status, "")}
        time = share(row.get(seconds, ""), len(ranks))
        yield Response(row.get(task, ""), row.get(worker) or None, {}, cells, time, ranks={"rank": ranks})

    others = [name for name in answered if name not in ranked and filled(rows, name)]
    notes = [f"{len(ranked)} answers ({listed(ranked)}) rank the options of a task, 1 is the best."]
    notes += [f"Not used: {listed(others)}."] if others else []
    return rankings_of(table, responses, ["rank"], "the assignment holds no rank", notes=notes)


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    table = _fold_options(_unfold_json(table))
    if (ranked := _rankings(table)) is not None:
        return ranked
    rows, short = table.head, {name: name.partition(".")[2] for name in table.names}
    inputs, answered = table.prefixed("Input."), table.prefixed(_ANSWER)
    is_merged = bool(inputs) and not _are_items(table, inputs)
    of_raters = {  # known by their names: most are asked once, in a rater's first assignment
        name: f"rater_{(numbered[1] if numbered else short[name]).casefold()}"
        for name in answered
        if table.first("WorkerId")
        and ((numbered := _NUMBERED_QUESTION.fullmatch(short[name])) or _OF_RATERS.fullmatch(short[name]))
        and filled(rows, name)
    }
    rated = [name for name in answered if name not in of_raters]
    slots = paired(rows, rated, [*rated, *inputs])
    if slots and _values(rows, [slot.item for slot in slots]) <= _values(
        rows, [slot.answer for slot in slots]
    ):
        slots = paired(rows, rated, inputs)  # answers are no items
    slots = slots or numbered_questions(rows, rated)
    notes = []
    if slots:
        notes.append(
            f"{slots[0].answer} is the vote on {slots[0].item}, and so on for {len(slots)} answers a row."
        )
    else:
        choices = [
            name for name in rated if not is_numeric(filled(rows, name)) and _options(rows, inputs, [name])[0]
        ]
        # what chooses between two options, else all
        names, further_notes = answers_of(rows, choices or rated)
        notes += further_notes
        item = item_column(rows, inputs) or ""
        item = table.first("HITId") if not item or _is_text(filled(rows, item)) else item
        if item not in inputs and inputs:
            notes.append(_MERGED if is_merged else _EACH_HIT)
        slots = tuple(Pair(name, item) for name in names)
    items = {slot.item for slot in slots}
    columns = [name for name in table.names if name in items]  # else slots are only numbered
    of_systems = are_systems([*items])
    source = (
        (item_column(rows, [name for name in inputs if name not in items]) or table.first("HITId"))
        if of_systems
        else ""
    )
    first, second = _options(rows, inputs, [slot.answer for slot in slots])
    checks = _checks(inputs)
    check_columns = [name for check in checks for name in check[1:]]
    used = (*items, *check_columns, first, second) if len(items) == 1 else inputs
    further = {name: short[name] for name in inputs if name not in used and short[name] not in _OURS}
    hints = _hints(rows, further, next(iter(columns), ""))
    if first:
        notes.append(f"{first} and {second} are the two options of each choice, in their positions.")
    known_of_raters = _first_answers(table, [*of_raters])
    if table.first(_SECONDS):
        notes.append(f"{_SECONDS} is of the whole assignment: it is divided evenly over its ratings.")
    envelope = ("WorkerId", "AssignmentId", "HITId", _SECONDS, "SubmitTime", "AssignmentStatus")
    worker, assignment, hit, seconds, submitted, status = map(table.first, envelope)
    first_hits: dict[bytes, str] = {}
    filler = filler_of(rows, columns) if len(columns) > 1 else ""
    counts: Counter[tuple[str, str]] = Counter()
    if filler:
        notes.append(f"Slots that show {filler!r} are empty, and so is what was answered there.")

    def responses(line: int, row: Cells) -> Iterator[Response | Aside]:
        answered = [
            slot for slot in slots if row[slot.answer] and not (filler and row.get(slot.item) == filler)
        ]
        if not answered:
            yield Aside(line, status, _NO_RATING, row.get(status, ""))
        time = share(row.get(seconds, ""), len(answered))
        shared_cells = {
            "submitted": row.get(submitted, ""),
            "status": row.get(status, ""),
            "assignment": row.get(assignment, ""),
            "HIT": row.get(hit, ""),
            **({"option_a": row[first], "option_b": row[second]} if first else {}),
            **{column: row[name] for name, column in further.items()},
            **{
                column: known_of_raters.get((row.get(worker, ""), name), "")
                for name, column in of_raters.items()
            },
        }
        for slot in answered:
            item = row.get(slot.item, "")
            if slot.item == hit and is_merged:
                input_values = "\0".join(row[name] for name in inputs).encode()
                new_name = item or f"inputs {len(first_hits) + 1}"
                item = first_hits.setdefault(blake2b(input_values, digest_size=16).digest(), new_name)
            system = {"system": item} if source else {}
            item = f"{row[source]}__{item}" if source else item or f"{row[hit]}__{slot.item}"
            matching_checks = (
                (check, row[answer])
                for check, item_input, answer in checks
                if item and row[item_input] == item
            )
            check, expected = next(matching_checks, ("", ""))
            slot_cells = {
                "check": check,
                "expected": expected,
                **({"slot": short[slot.answer], "measure": slot.measure, **system} if len(items) > 1 else {}),
            }
            counts[item, slot.answer] += line > 0  # not where rows are only looked at
            rater = row[worker] if worker else f"slot {counts[item, slot.answer]}"
            yield Response(item, rater, {slot.answer: row[slot.answer]}, slot_cells | shared_cells, time)

    questions = {slot.answer: short[slot.answer] for slot in slots}
    open = (*further.values(), *of_raters.values())
    canonical = table_of(table, responses, questions, _NO_RATING, open, notes, pairs=bool(first))
    assert canonical.known is not None
    hinted = {role: name for role, name in hints.items() if KINDS[canonical.known.kind].column(role)}
    hinted |= {} if worker else {"@raters": "slots"}
    open_columns = tuple(name for name in canonical.known.open if name not in hinted.values())
    return replace(
        canonical,
        known=replace(canonical.known, mapping={**hinted, **canonical.known.mapping}, open=open_columns),
    )


def _are_items(table: Table, inputs: Sequence[str]) -> bool:
    """Return True where each HIT is an item: the inputs, which are the same in all rows, do not tell items apart, and
    HITs have several assignments."""
    hit, rows = table.first("HITId"), table.head
    hits = {row[hit] for row in rows} if hit else set()
    if not 1 < len(hits) <= len(rows) / 2 or any(len({row[name] for row in rows}) > 1 for name in inputs):
        return False
    further = (row[1] for row in table.all_rows() if not isinstance(row, Aside))
    return all(cells[name] == rows[0][name] for cells in further for name in inputs)


def _options(rows: Sequence[Cells], inputs: Sequence[str], answers: Sequence[str]) -> tuple[str, str]:
    """Return the inputs that hold the first and the second of two options, where one answer chooses between them."""
    inputs_by_name = {plain_name(name): name for name in inputs if not _is_text(filled(rows, name))}
    pairs = (
        (inputs_by_name[a], inputs_by_name[b])
        for a, b in zip(FIRST, SECOND, strict=True)
        if {a, b} <= {*inputs_by_name}
    )
    first, second = next(pairs, ("", ""))
    if not first or len(answers) != 1:
        return "", ""
    codes = {*filled(rows, answers[0])} - {row[name] for row in rows for name in (first, second)}
    by_number = all(map(is_number, codes)) and {float(cell) for cell in codes} <= {
        -1,
        0,
        1,
        2,
    }
    is_choice = by_number or all(re.fullmatch("|".join(SIDES), plain_name(cell)) for cell in codes)
    return (first, second) if is_choice and any(row[first] != row[second] for row in rows) else ("", "")


def _hints(rows: Sequence[Cells], names: Mapping[str, str], item: str) -> dict[str, str]:
    """Return the meaning of inputs whose names do not say it: short ones that vary are the system or the condition,
    texts the item's text and the one that it was compared with."""
    items = {row[item] for row in rows} if item else set()
    values = {name: set(filled(rows, name)) for name in names if item and constant_within(rows, name, [item])}
    texts = [name for name in values if _is_text(filled(rows, name)) and len(values[name]) > 1]
    short = [
        name
        for name in values
        if name not in texts and 1 < len(values[name]) <= min(_MOST_SYSTEMS, len(items) // 2)
    ]
    systems = [name for name in short if _SYSTEM & set(re.findall("[a-z]+", names[name].casefold()))]
    conditions = [
        name
        for name in short
        if name not in systems and plain_name(names[name]) not in _CALLED and not is_numeric(values[name])
    ]
    texts = [name for name in texts if plain_name(names[name]) not in _TEXTS]
    texts.sort(key=lambda name: -len(values[name]))
    has_text = any(plain_name(plain) in _TEXTS for plain in names.values())
    hints = dict(zip(("reference_text",) if has_text else ("text", "reference_text"), texts, strict=False))
    hints |= {"system": systems[0]} if systems else {}
    hints |= {"condition": conditions[0]} if len(conditions) == 1 else {}
    return {role: names[name] for role, name in hints.items()}


def _values(rows: Sequence[Cells], names: Sequence[str]) -> set[str]:
    """Return the values of the columns."""
    return {cell for name in names for cell in filled(rows, name)}


def _is_text(cells: Sequence[str]) -> bool:
    """Return True where these are texts of several words rather than names."""
    return bool(cells) and sum(len(cell) >= _TEXT and " " in cell for cell in cells) >= len(cells) / 2


def _checks(inputs: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return trap and gold questions by columns such as `Input.TP` and `Input.TP_ANS`: an item and its expected
    answer."""
    checks = []
    for name in inputs:
        match = _EXPECTED.fullmatch(name)
        item = next(
            (other for other in inputs if match and other.casefold() == match[1].casefold()),
            None,
        )
        if item:
            short_name = item.partition(".")[2].casefold()
            checks.append(("gold" if "gold" in short_name else "trap", item, name))
    return checks


def _first_answers(table: Table, attributes: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return the first answer of each rater to each question about the rater."""
    first_answers: dict[tuple[str, str], str] = {}
    worker = table.first("WorkerId")
    for row in table.all_rows() if attributes else ():
        cells = {} if isinstance(row, Aside) else row[1]
        for name in attributes:
            if cells.get(name):
                first_answers.setdefault((cells[worker], name), cells[name])
    return first_answers


def _without_envelope(table: Table) -> bool:
    """Return True where nothing but inputs and answers is left of a batch."""
    return len(table.prefixed("Input.")) + len(table.prefixed(_ANSWER)) == len(table.names)


FORMATS = (
    Format(
        "MTurk batch",
        lambda table: (
            bool(table.prefixed(_ANSWER)) and (table.lower >= _ENVELOPE or _without_envelope(table))
        ),
        _canonical,
        (SEVERAL,),
    ),
)
