"""JSON: a list of records, records one after the other (JSON lines), or one object that holds such a list.

An object of objects of values, `{"anna": {"clip 1": 4}}`, is a table of its leaves, and one of columns, or of their
names and of rows, as pandas writes it, the table of these. Of lists of records within the records, one may be chosen as
the rows of the table. A record that cannot be read costs itself only.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import mode
from typing import Any

from analysis.values.estimate import thousands
from data.errors import BadMapping, UnreadableFile, listed
from data.formats.files.records import Piece, Record, beginning, cell, split, table_of
from data.formats.parts.cells import are_leaves
from data.formats.parts.format import Aside
from data.kinds.kind import ITEM, RATER, SCORE
from data.kinds.likely_names import (
    ITEM_PARTS,
    are_called_raters,
    ends_as_id,
    has_rater_word,
    is_about,
    is_called_answer,
    is_called_item,
    is_called_rater,
    is_called_system,
    is_rater,
    is_system,
    look_like_items,
    look_like_measures,
    look_like_people,
)
from data.kinds.names import plain_name, stem_and_number
from data.tables import text as delimited_text
from data.tables.rows import numbered_lines
from data.tables.sniffed import Switch, is_number
from data.tables.text import MAX_LINE, Text, check_growth

ROWS = "@rows"
EACH_RECORD = "each record of the file"
"""The setting that takes the records themselves as rows."""
_DEPTH, _MOST, _RECORDS = 4, 20, 100
"""Lists within each other, lists that are offered, and records in which they are looked for."""
_LONGEST = 60
"""Characters of the name of a list."""
_OUTPUTS = "outputs"
"""The field for the outputs of systems that have a field each."""
_SAME_IN_PLURAL, _ENDS_IN_IE = ("series", "species"), ("movies", "cookies")
"""Names of several things whose singular does not end in -y, as that of stories does."""
_GATHERED = "ratings"
"""The field for the records of raters on several measures."""
_FEWEST_LISTS = 5
"""Number of lists of records from which on repeated names are no coincidence."""
_FEWEST_WORDS = 4
"""Words of a text that a system made."""
Settings = Mapping[str, str | Sequence[str]]
Keys = tuple[str, ...]
"""The names that lead to a list: of a field, of a field of its records, and so on."""


def find_lists(records: Iterable[Mapping[str, Any]]) -> dict[str, Keys]:
    """Return the lists of records in the fields of the first records, by the names under which they are chosen."""
    lists: dict[str, Keys] = {}
    for record in islice(records, _RECORDS):
        for path in _paths(record):
            if len(lists) < _MOST:
                lists.setdefault(".".join(path), path)
    return lists


def _choose_list(names: Sequence[str], mapping: Settings) -> tuple[tuple[Switch, ...], str, tuple[str, ...]]:
    """Return the switch between these lists, the setting of a mapping ("" for the first, the default), and a sentence
    on the lists left out; no switch where there is one list.

    Raises
    ------
    BadMapping
        where the file has no such list.
    """
    if len(names) < 2:
        return (), "", ()
    note = "The records of this list become the rows, each with the fields of the record that holds it."
    setting = str(mapping.get(ROWS, names[0]))
    if setting not in names:
        raise BadMapping(f"{ROWS} must be one of {listed(names)}; got {setting!r}")
    chosen = "" if setting == names[0] else setting
    notes = (
        (f"The rows are the records in {chosen!r}; other lists of records are left out.",) if chosen else ()
    )
    return (Switch(ROWS, "Rows are in", tuple(names), note, reshapes=True),), chosen, notes


def rows_in(records: Iterable[Record | Aside], path: Keys, size: int) -> Iterator[Record | Aside]:
    """Yield the records of a list in the records of a file of `size` bytes, with the fields of those around them."""
    characters = 0
    for record in records:
        if isinstance(record, Aside) or not path:
            yield record
            continue
        line, record_text = record
        for row in _rows(record_text, path):
            if isinstance(row, str):
                yield Aside(line, "", row, beginning(record_text))
                continue
            characters += sum(len(cell(value)) for value in row.values())
            check_growth(characters, size)
            yield line, row


def _paths(record: Mapping[str, Any], parents: Keys = ()) -> Iterator[Keys]:
    for name, value in islice(_gather_outputs(record).items(), _RECORDS):
        entries = _entries(name, value)
        if _is_list(entries) and name.isprintable() and 0 < len(name) <= _LONGEST:
            path = (*parents, name)
            yield path
            if len(path) < _DEPTH:
                for entry in entries[:_RECORDS]:
                    yield from _paths(entry, path)


def _is_list(value: Any) -> bool:
    """Return True for a list of records."""
    return (
        isinstance(value, list) and bool(value) and all(isinstance(entry, dict) and entry for entry in value)
    )


def _entries(name: str, value: Any) -> Any:
    """Return a list; of an object whose keys name records, such as {"worker1": {…}, …} in the field "workers", these
    with their keys, also where they stand a level deeper."""
    records = [*value.values()] if isinstance(value, dict) else []
    if not _is_list(records):
        return value
    singular = _singular(name)
    pattern = rf"(?:{re.escape(singular)})?[ _-]?\d+"
    key_name = (
        "system" if _are_outputs(value, name) and not _are_numbers_or_items(value) else f"{singular}_id"
    )
    is_deeper = [_are_records([*record.values()]) for record in records]
    numbered = all(re.fullmatch(pattern, key, re.IGNORECASE) for key in value)
    if not numbered and not _are_records(records) and not all(is_deeper):
        return value
    entries = []
    for key, record, deeper in zip(value, records, is_deeper, strict=True):
        inner_records = (
            [{"key_id": name, **fields} for name, fields in record.items()] if deeper else [record]
        )
        entries += [{key_name: key, **fields} for fields in inner_records]
    return entries


def _gather_outputs(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the record with the fields named by systems, each of which holds an output and its ratings, put together
    in one field."""
    objects = {name: value for name, value in record.items() if isinstance(value, dict)}
    if len({frozenset(value) for value in objects.values()}) != 1 or not _are_outputs(objects, _OUTPUTS):
        return record
    return {name: value for name, value in record.items() if name not in objects} | {_OUTPUTS: objects}


def _singular(name: str) -> str:
    """Return the singular of a name in the plural: summary of summaries."""
    if name.casefold() in _SAME_IN_PLURAL:
        return name
    return (
        f"{name[:-3]}y"
        if name.endswith("ies") and name.casefold() not in _ENDS_IN_IE
        else name.removesuffix("s")
    )


def _are_numbers_or_items(keys: Iterable[str]) -> bool:
    """Return True for keys that number things, or name items."""
    return len({stem_and_number(key)[0] for key in keys}) == 1 or look_like_items([*keys]) >= _LIKE


def _are_outputs(value: Any, name: str) -> bool:
    """Return True for an object with a record for each system, or part of an item, which holds a text and answers to
    it: lists, objects, or numbers by measure; or for a list of records with their systems, and lists by measure."""
    if _is_list(value):
        return all(
            any(map(is_called_system, record))
            and look_like_measures([name for name, field in record.items() if isinstance(field, list)])
            >= _LIKE
            for record in value
        )
    records, singular = [*value.values()] if isinstance(value, dict) else [], _singular(name)
    if not _are_records(records) or look_like_people([*value]) >= _LIKE:
        return False
    if is_called_rater(singular) or is_called_answer(singular):
        return False
    if _are_numbers_or_items(value) and plain_name(singular) not in ITEM_PARTS:
        return False
    numbers = [name for name, value in records[0].items() if isinstance(value, int | float)]
    are_judged = look_like_measures(numbers) >= _LIKE
    return all(
        any(isinstance(field, str) and len(field.split()) >= _FEWEST_WORDS for field in record.values())
        and (are_judged or any(isinstance(field, dict | list) for field in record.values()))
        for record in records
    )


def _rows(record: Mapping[str, Any], path: Keys) -> Iterator[Mapping[str, Any] | str]:
    """Yield the records at a path with the fields around them, or the reason why there are none."""
    if not path:
        yield record
        return
    name, record = path[0], _gather_outputs(record)
    outer_fields = {field: value for field, value in record.items() if field != name and not _is_list(value)}
    entries = _entries(name, record.get(name))
    if not isinstance(entries, list) or not entries:
        yield f"the record holds nothing in the list {name!r}"
        return
    for entry in entries:
        if not isinstance(entry, dict) or not entry:
            yield f"an entry of the list {name!r} is no object of names and values"
            continue
        for row in _rows(entry, path[1:]):
            if isinstance(row, str):
                yield row
            else:
                yield outer_fields | {
                    f"{name}.{key}" if key in outer_fields else key: value for key, value in row.items()
                }


LEAVES = ("outer key", "inner key", "value")
"""The columns of an object of objects."""
_BEGINS = re.compile(rb"\s*[\[{]\s*(?:[\[{\"\]}]|$)")
QUESTION = re.compile(r"(?i)(q|question|item)[ _-]?\d+")
"""Names of questions that are asked of each of several things."""
_SPACE = 1 << 16
"""Characters in which a file begins."""
_LIKE = 0.5
_LOOK = 100
"""Lines that are looked at to tell JSON lines from an object that goes over lines."""
_NO_RECORDS = ("annotations", "completions", "predictions", "drafts", "options", "responses", "spans")
"""Lists in a separate record."""


def reads(head: bytes) -> bool:
    """Return True where a file begins as JSON does, in any encoding."""
    plain = head.removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    return _BEGINS.match(plain.replace(b"\0", b"")) is not None


def as_text(path: Path, folder: Path, mapping: Settings) -> Text:
    text = delimited_text.as_text(path, folder)
    return _table(text.path, folder, text.encoding, mapping)


def _table(path: Path, folder: Path, encoding: str, mapping: Settings) -> Text:
    with path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
        listed = file.read(_SPACE).lstrip()[:1] == "["
    if listed:
        return _table_of_records(lambda: split(path, 1), path, folder, encoding, mapping)
    if _is_lines(path):
        return _table_of_records(lambda: _lines(path), path, folder, encoding, mapping)
    first = list(islice(split(path, 0), 2))
    if len(first) > 1:
        return _table_of_records(lambda: split(path, 0), path, folder, encoding, mapping)
    if not first or isinstance(first[0], Aside):
        reason = f": {first[0].reason}" if first and isinstance(first[0], Aside) else ""
        if "longer" in reason:
            reason += "; save it as a list of records"
        raise UnreadableFile(f"this JSON file cannot be read{reason}")
    single_object = _parse_record(first[0])
    if isinstance(single_object, Aside):
        raise UnreadableFile(f"this JSON file cannot be read: {single_object.reason}")
    return _table_of_object(single_object[1], path.stat().st_size, folder, encoding, mapping)


def _table_of_records(
    pieces: Callable[[], Iterable[Piece | Aside]], path: Path, folder: Path, encoding: str, mapping: Settings
) -> Text:
    """Return the table of records one after the other, or of a list in each of them."""
    first = (record[1] for record in map(_parse_record, pieces()) if not isinstance(record, Aside))
    first_records = [*islice(first, _RECORDS)]
    lists = {EACH_RECORD: (), **find_lists(first_records)}
    of_systems = [
        ".".join(path)
        for path in lists.values()
        if len(path) == 1
        and all(_are_outputs(_gather_outputs(record).get(path[0]), path[0]) for record in first_records)
    ]
    default = _list_of_raters(first_records, lists) or (
        of_systems[0] if len(of_systems) == 1 else EACH_RECORD
    )
    switches, chosen, notes = _choose_list(list(dict.fromkeys([default, *lists])), mapping)
    if not chosen and default != EACH_RECORD:
        notes = (f"The rows are the records in {default!r}.",)
    path_of_rows, size = lists[chosen or default], path.stat().st_size
    text = table_of(
        lambda: rows_in(map(_parse_record, pieces()), path_of_rows, size), folder, encoding, notes
    )
    return replace(text, switches=switches)


def _list_of_raters(records: Sequence[Mapping[str, Any]], lists: Mapping[str, Keys]) -> str:
    """Return the name of the list whose records name raters, as a field or as several, and hold numbers if any of them
    do; else of the only list of items, or the longest if only that has ratings, that a rater's records hold.

    "" for none. A rater's own answers next to a list are no reason against it if the record names nothing else.
    """
    if not records:
        return ""
    fields = [name for name, value in records[0].items() if not isinstance(value, dict | list)]
    of_raters = all({*map(plain_name, record)} & {*RATER} for record in records)
    is_answer = any(plain_name(name) in SCORE or _is_called_item(name) for name in fields)
    has_measures = look_like_measures(fields) > 0  # a rater's own, beside which a list may hold anything
    names_others = any(
        plain_name(name) not in RATER and not is_about(name) and not look_like_measures([name])
        for name in fields
    )
    lists_of_raters, lists_of_items, lists_with_numbers, lists_of_rated_items = [], [], [], []
    lengths: dict[str, int] = {}
    for name, path in lists.items():
        rows = [row for record in records for row in islice(_rows(record, path), _RECORDS)]
        records_of_list = [row for row in rows if not isinstance(row, str)]
        own_fields = [{key: row[key] for key in row.keys() - records[0].keys()} for row in records_of_list]
        if not path or not records_of_list:
            continue
        if (
            len(path) == 1
            and name not in _NO_RECORDS
            and all(any(map(_is_called_item, fields)) for fields in own_fields)
        ):
            lists_of_items.append(name)
            lengths[name] = len(records_of_list)
            lists_of_rated_items += [name] if any(map(_has_rating, own_fields)) else []
        values = [value for row in own_fields for value in row.values()]
        leaves = [
            leaf for value in values for leaf in (value.values() if isinstance(value, dict) else [value])
        ]
        if any(isinstance(leaf, int | float) for leaf in leaves):
            lists_with_numbers.append(name)
        if _name_raters(own_fields, len(path), of_raters and (is_answer or has_measures)) or (
            not of_raters
            and len(path) == 1
            and _hold_ratings_by_person([[*_rows(record, path)] for record in records])
        ):
            lists_of_raters.append(name)
    if lists_of_raters:
        return next((name for name in lists_of_raters if name in lists_with_numbers), lists_of_raters[0])
    is_longest = len(lists_of_rated_items) == 1 and all(
        lengths[name] < lengths[lists_of_rated_items[0]]
        for name in lists_of_items
        if name not in lists_of_rated_items
    )
    lists_of_items = lists_of_rated_items if has_measures or is_longest else lists_of_items
    is_answer |= has_measures and names_others
    return lists_of_items[0] if of_raters and not is_answer and len(lists_of_items) == 1 else ""


def _has_rating(record: Mapping[str, Any]) -> bool:
    """Return True where a record, or an object in it, holds a number under a name for ratings."""
    pairs = [
        pair
        for name, value in record.items()
        for pair in (value.items() if isinstance(value, dict) else [(name, value)])
    ]
    return any(
        isinstance(value, int | float)
        and not is_about(name)
        and (plain_name(name) in SCORE or look_like_measures([name]) > 0)
        for name, value in pairs
    )


def _is_called_item(name: str) -> bool:
    return plain_name(name) in ITEM or is_called_item(name)


def _name_raters(rows: Sequence[Mapping[str, Any]], depth: int, is_rating: bool) -> bool:
    """Return True for records in `depth` nested lists that name raters.

    A field may name the rater; a record of a single list then holds a list of values as well. Or several fields are
    called by raters and hold a short answer each, and the record that holds the list is no rating.
    """
    if any({*map(plain_name, row)} & {*RATER} for row in rows):
        values_of_others = [
            value for row in rows for name, value in row.items() if plain_name(name) not in RATER
        ]
        return depth > 1 or any(
            isinstance(value, list) and value and are_leaves(value) for value in values_of_others
        )
    of_raters = [name for name in rows[0] if is_rater(name)]
    answers = [row.get(name) for row in rows for name in of_raters]
    are_short = are_leaves(answers) and all(len(cell(answer).split()) < _FEWEST_WORDS for answer in answers)
    return len(of_raters) > 1 and not is_rating and are_short


_PEOPLE = frozenset(("who", "by"))
"""Names of fields that may name raters, beside those that are words for raters."""


def _hold_ratings_by_person(lists: Sequence[Sequence[object]]) -> bool:
    """Return True for lists of flat records with numbers and a field such as who, whose short texts come once in a list
    and again in others, as the rater of an item does."""
    records = [[row for row in rows if isinstance(row, dict)] for rows in lists]
    records = [rows for rows in records if rows]
    if len(records) < _FEWEST_LISTS or not are_leaves([*records[0][0].values()]):
        return False
    names = [name for name in records[0][0] if plain_name(name) in _PEOPLE]
    if len(names) != 1 or not any(
        _is_number(value) for rows in records for row in rows for value in row.values()
    ):
        return False
    values = [[row.get(names[0]) for row in rows] for rows in records]
    if not all(
        isinstance(value, str) and len(value.split()) < _FEWEST_WORDS for each in values for value in each
    ):
        return False
    total, different = sum(map(len, values)), {value for each in values for value in each}
    once = all(len({*each}) == len(each) for each in values)
    return once and len(records) * 1.5 <= total and 2 * len(different) <= total


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _table_of_object(
    top: Mapping[str, Any], size: int, folder: Path, encoding: str, mapping: Settings
) -> Text:
    """Return the table of what one object holds, or of one of its lists."""
    top = _gather_lists(top)
    longest, lists = _longest_list(top), find_lists([top])
    nested = {name: value for name, value in top.items() if isinstance(value, dict)}
    first_records = top[longest][:_RECORDS] if longest in lists else [nested]
    prefix = f"{longest}." if longest in lists else ""
    of_raters = prefix + _list_of_raters(first_records, find_lists(first_records))
    of_raters = of_raters if of_raters in lists else ""  # else deeper than what is offered
    default = of_raters or (longest if longest in lists else EACH_RECORD)
    switches, chosen, notes = _choose_list(list(dict.fromkeys([default, *lists])), mapping)
    if of_raters and not chosen:
        chosen, notes = of_raters, (f"The rows are the records in {of_raters!r}.",)
    outer, *inner = lists[chosen] if chosen else ("",)
    records, is_flat = _entries(outer, top.get(outer, ())), True
    if not chosen:
        records, notes = _records_of_object(top, longest, size)
        is_record = sum(not isinstance(value, dict | list) for value in top.values()) > 1
        is_flat = (len(records) > 1 or is_record) and "dis_videos" not in top
    numbered = [(number, record) for number, record in enumerate(records, start=1)]
    text = table_of(lambda: rows_in(numbered, tuple(inner), size), folder, encoding, notes, flat=is_flat)
    return replace(text, switches=switches)


def _gather_lists(top: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object of lists of records as one list, where the records of each list name raters and no item, or
    items and no rater: their key names the other."""
    lists = [*top.values()]
    if len(lists) < 2 or not all(map(_is_list, lists)):
        return top
    names = [name for name, value in lists[0][0].items() if not isinstance(value, dict | list)]
    values = {name: [[record.get(name) for record in records] for records in lists] for name in names}
    returning = [
        name
        for name, cells in values.items()
        if all(len({*map(str, each)}) == len(each) for each in cells)
        and len({str(value) for each in cells for value in each}) * 1.5 <= sum(map(len, cells))
    ]
    raters = [name for name in returning if plain_name(name) in RATER or is_called_rater(name)]
    items = [name for name in returning if name not in raters and (_is_called_item(name) or ends_as_id(name))]
    named = [
        name for name in names if _is_called_item(name) or is_called_rater(name) or plain_name(name) in RATER
    ]
    if len(raters) + len(items) != 1 or {*named} - {*raters, *items}:
        return top
    key_name = "item" if raters else "rater"
    return {_GATHERED: [{key_name: key, **record} for key, records in top.items() for record in records]}


def _lines(path: Path) -> Iterator[Piece | Aside]:
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        for number, line in numbered_lines(file):
            if len(line) > MAX_LINE:
                yield Aside(
                    number, "", f"the record is longer than {thousands(MAX_LINE)} characters", line[:200]
                )
            elif not line.isspace():
                yield number, line


def _is_lines(path: Path) -> bool:
    """Return True where there are two lines or more, most of which hold their own object."""
    first_pieces = [_parse_record(piece) for piece in islice(_lines(path), _LOOK)]
    readable = sum(not isinstance(piece, Aside) for piece in first_pieces)
    return len(first_pieces) > 1 and 2 * readable >= len(first_pieces)


def _gather_raters(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the record with lists of a record per rater in the place of objects of parallel lists, one of which names
    the raters, such as {"rater_ids": ["a", "b"], "scores": [4, 5]}; those of several measures become one list."""
    parallel = [name for name, value in record.items() if _rater_list(value)]
    others = {name: _within(value) for name, value in record.items() if name not in parallel}
    if len(parallel) == 1:
        return {name: others[name] if name in others else _records_of({"": record[name]}) for name in record}
    if not parallel:
        return others
    if look_like_measures(parallel) < _LIKE or _GATHERED in others:
        return record
    return {**others, _GATHERED: _records_of({name: record[name] for name in parallel})}


def _within(value: Any) -> Any:
    """Return a value with `_gather_raters` applied to all objects in it."""
    if isinstance(value, list):
        return [_within(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    gathered = _gather_raters(value)
    return gathered[_GATHERED] if {*gathered} == {_GATHERED} else gathered


def _rater_list(value: Any) -> str:
    """Return the name of the list that names raters in an object of lists of their answers; "" for none."""
    if not isinstance(value, dict) or not all(isinstance(answers, list) for answers in value.values()):
        return ""
    lists: Mapping[str, list[Any]] = value
    rater_lists = [*filter(are_called_raters, lists)]
    if len(rater_lists) != 1 or len({*map(len, lists.values())}) != 1:
        return ""
    have_answers = any(plain_name(_singular(name)) in SCORE for name in lists)
    return rater_lists[0] if have_answers and all(map(are_leaves, lists.values())) else ""


def _records_of(objects: Mapping[str, Mapping[str, Sequence[Any]]]) -> list[dict[str, Any]]:
    """Return a record for each rater in objects of parallel lists, with the answers by measure; further ones for those
    who answered several times."""
    records: dict[tuple[str, int], dict[str, Any]] = {}
    for measure, lists in objects.items():
        rater_list = _rater_list(lists)
        answers = {name: values for name, values in lists.items() if name != rater_list}
        times: Counter[str] = Counter()
        for number, rater in enumerate(map(cell, lists[rater_list])):
            times[rater] += 1
            record = records.setdefault((rater, times[rater]), {"rater": rater})
            for name, values in answers.items():
                field = measure if len(answers) == 1 else f"{measure}.{name}"
                record[field if measure else name] = values[number]
    return [*records.values()]


class _DuplicateName(ValueError):
    """A name that stands twice in an object."""


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise _DuplicateName
    return record


def _parse_record(piece: Piece | Aside) -> Record | Aside:
    if isinstance(piece, Aside):
        return piece
    line, text = piece
    begin = 0
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique_fields,
            parse_constant=lambda name: None if name == "NaN" else name,
        )
        if isinstance(value, dict) and value:
            return line, _gather_raters(value)
        reason = "this is no object of names and values"
    except _DuplicateName:
        reason = "a name stands twice in the record"
    except RecursionError:
        reason = "the record is nested too deep"
    except json.JSONDecodeError as error:
        reason, begin = "the record is no valid JSON", max(error.pos - 40, 0)
    except ValueError:
        reason = "the record holds a number of too many digits"
    return Aside(line, "", reason, text[begin : begin + 200].strip())


def _longest_list(top: Mapping[str, Any]) -> str:
    """Return the name of the longest list of records in an object; "" for none, or where the object is a record."""
    lists = {name: len(value) for name, value in top.items() if _is_list(value)}
    if top.keys().isdisjoint(_NO_RECORDS):
        return max(lists, key=lists.__getitem__, default="")
    lists_of_raters = {
        name for name in lists if all({*map(plain_name, record)} & {*RATER} for record in top[name])
    }
    of_items = [
        name for name in lists_of_raters if all({*map(plain_name, record)} & {*ITEM} for record in top[name])
    ]
    if len(of_items) == 1:
        return of_items[0]
    # beside answers to one record, or beside what tells how the records of another list are answered
    answered = [name for name in lists if all({*record} & {*_NO_RECORDS} for record in top[name])]
    return answered[0] if len(answered) == 1 and answered[0] not in _NO_RECORDS else ""


def _records_of_object(
    top: Mapping[str, Any], longest: str, size: int
) -> tuple[Sequence[Mapping[str, Any]], tuple[str, ...]]:
    """Return the records that one object of a file of that size holds, and sentences about what was left out of it."""
    if longest:
        notes = (f"The records are those of {longest[:60]!r}; what else the file holds is left out.",)
        return top[longest], notes if len(top) > 1 else ()
    name, single_value = next(iter(top.items()))
    inner = (
        single_value.values() if isinstance(single_value, dict) and _look_like_raters([name]) < _LIKE else ()
    )
    if len(top) == 1 and inner and all(isinstance(value, dict) for value in inner):
        return _records_of_object(single_value, "", size)
    names, cells = top.get("columns"), top.get("data")
    if isinstance(names, list) and isinstance(cells, list) and all(isinstance(row, list) for row in cells):
        return [dict(zip(map(str, names), row, strict=False)) for row in cells], ()
    values = list(top.values())
    columns = [value for value in values if isinstance(value, list) and are_leaves(value)]
    are_columns = len(columns) == len(values) > 2 and len({*map(len, columns)}) == 1 < len(columns[0])
    if are_columns and look_like_items([*top]) < 1:  # else answers to each item, in any order
        return [dict(zip(top, row, strict=True)) for row in zip(*columns, strict=True)], ()
    if _are_records(values):
        name = next(name for name in ("item", "key", "record") if name not in values[0])
        return [{name: key, **value} for key, value in top.items()], ()
    if all(isinstance(value, dict) and value and are_leaves(value.values()) for value in values):
        if _are_columns(values, [*top]):
            return [{name: column[row] for name, column in top.items()} for row in next(iter(values))], ()
        check_growth(sum(len(outer) * len(leaves) for outer, leaves in top.items()), size)
        return [
            dict(zip(LEAVES, (outer, inner, leaf), strict=True))
            for outer, leaves in top.items()
            for inner, leaf in leaves.items()
        ], ()
    inner_answers = [
        (outer, name, _as_records(inner_value))
        for outer, value in top.items()
        if isinstance(value, dict)
        for name, inner_value in value.items()
    ]
    if all(isinstance(value, dict) and value for value in values) and all(
        answers and all(are_leaves(leaves.values()) for leaves in answers) for *_, answers in inner_answers
    ):
        check_growth(sum(len(outer) * len(answers) for outer, _, answers in inner_answers), size)
        first, second = _level_names(list(top), list(values[0]), list(inner_answers[0][2][0]))
        rows = [
            {first: outer, second: name, **leaves}
            for outer, name, answers in inner_answers
            for leaves in answers
        ]
        level_names = {first, second} - {"rater"}
        if (
            len(level_names) == 1
            and "item" not in level_names
            and not {*map(plain_name, inner_answers[0][2][0])} & {*ITEM}
        ):
            check_growth(sum((len(row[first]) + len(row[second])) * len(row) for row in rows), size)
            return [
                {first: row[first], second: row[second], "item": item, LEAVES[2]: value}
                for row in rows
                for item, value in [*row.items()][2:]
            ], ()
        return rows, ()
    if len(values) > 2 and are_leaves(values) and len({is_number(cell(value)) for value in values}) == 1:
        return [{"item": name, "value": value} for name, value in top.items()], ()
    return [top], ()


def _as_records(value: Any) -> Sequence[Mapping[str, Any]]:
    """Return the object itself, or the records of a list, which may be its only field; none of anything else."""
    if isinstance(value, dict) and len(value) == 1 and _is_list(single_list := next(iter(value.values()))):
        value = single_list
    return value if _is_list(value) else [value] if isinstance(value, dict) and value else []


def _look_like_raters(names: Sequence[str]) -> float:
    """Return a score from 0 to 1 of names as those of people, or such as user_3f2a."""
    return 1.0 if names and all(map(has_rater_word, names)) else look_like_people(names)


def _level_names(outer: Sequence[str], inner: Sequence[str], leaves: Sequence[str]) -> tuple[str, str]:
    """Return the names of two levels of names above answers: people are raters of what the other level names, which
    may be measures or systems above answers to items; above answers of people, one names items, and the other
    measures or systems."""

    def only_level(look: Callable[[Sequence[str]], float]) -> int | None:
        matching = [level for level, names in enumerate((outer, inner)) if look(names) >= _LIKE]
        return matching[0] if len(matching) == 1 else None

    fields = {*map(plain_name, leaves)}
    beside_raters = LEAVES[1] if fields & {*ITEM} else _name_level_beside_raters(outer, inner, leaves)
    names = {_look_like_raters: ("rater", beside_raters)}
    if fields & {*RATER}:
        return "item", "system"
    if look_like_people(leaves) >= _LIKE:
        names = {look_like_measures: ("measure", "item"), look_like_items: ("item", "system")}
    for look, (matching_name, other_name) in names.items():
        level = only_level(look)
        if level is not None:
            return (matching_name, other_name) if level == 0 else (other_name, matching_name)
    return LEAVES[0], LEAVES[1]


def _name_level_beside_raters(outer: Sequence[str], inner: Sequence[str], leaves: Sequence[str]) -> str:
    """Return the name of the level beside the raters' names: measures and systems by their names, or anything else,
    above answers to items; else items above answers to questions."""
    levels = (outer, inner)
    if look_like_items(leaves) < _LIKE or all(map(QUESTION.fullmatch, leaves)):
        return "item"
    if any(look_like_measures(level) >= _LIKE or all(map(QUESTION.fullmatch, level)) for level in levels):
        return "measure"
    if any(look_like_items(level) >= _LIKE for level in levels):
        return "item"
    are_systems = any(all(map(_names_single_system, level)) for level in levels)
    return "system" if are_systems else LEAVES[1]


def _names_single_system(name: str) -> bool:
    """Return True for a key that is one system's, such as GPT-4, model_a or system 2."""
    return is_system(name) or plain_name(stem_and_number(name)[0]) in ("system", "sys", "model")


def _are_records(values: Sequence[Any]) -> bool:
    """Return True where these are records of the same fields, which hold different kinds of values, or of a single
    one."""
    first_values = values[:_RECORDS]
    if len(values) < 3 or not all(isinstance(value, dict) and value for value in first_values):
        return False
    common = set[str].intersection(*({*value} for value in first_values))
    all_names = set[str]().union(*first_values)
    kinds = {
        mode([_kind(value[name]) for value in first_values if value[name] is not None] or [""])
        for name in common
    }
    return 2 * len(common) >= len(all_names) and (
        len(kinds) > 1 or (len(all_names) == 1 and "record" not in kinds)
    )


def _kind(value: Any) -> str:
    """Return the kind of a value: record, list, number, text or label."""
    if isinstance(value, dict | list):
        return "record" if isinstance(value, dict) else "list"
    text = cell(value)
    return "number" if is_number(text) else "text" if len(text) > _LONGEST else "label"


def _are_columns(values: Sequence[Mapping[str, Any]], names: Sequence[str]) -> bool:
    """Return True where these are columns as pandas writes them: of the same rows, counted up, of numbers and of
    texts, or with a column of raters."""
    rows = list(values[0])
    is_numbered = rows == [str(number) for number in range(len(rows))]
    numbers = {all(is_number(cell(leaf)) for leaf in value.values()) for value in values}
    are_columns = len(numbers) > 1 or (any(plain_name(name) in RATER for name in names) and len(names) > 2)
    return are_columns and is_numbered and all(list(value) == rows for value in values)
