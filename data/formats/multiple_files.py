"""Several files of one study as one table: their rows one below the other, and a column that says from which file.

Each file is read separately first, so that every one may have its own encoding, delimiter, decimal mark and order of
columns. They fit together where they are of one format and one kind, and where each has the columns that the kind
requires; a column that is called otherwise in one of them is known by what it means.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from analysis.values.estimate import thousands
from data.dataset import SLOT
from data.errors import BadMapping, OverLimit, UnreadableFile, listed
from data.formats.parts.format import ONE_RATER, UNNAMED, Aside, Canonical, Made, Table, read_asides
from data.formats.parts.writing import write
from data.formats.platforms.answer_lists import SINGLE_FIELDS
from data.formats.platforms.spreadsheets import SPREADSHEET
from data.kinds.definitions import KINDS, kind_named
from data.kinds.likely_names import are_groups
from data.kinds.studies import ENDS, GRADE_COLUMNS, OPTION_COLUMNS, PLACE_COLUMNS, RANKINGS
from data.mapping.plan import FILES, ROW
from data.mapping.proposal import NAMED_PARTS, Proposal, propose
from data.reading.columns import is_missing
from data.reading.reader import readings_of
from data.reading.wide_layouts import grids_of, roles_of
from data.settings import Settings
from data.tables.sniffed import Known, Sniffed, is_any_number, is_comma_number, named_by, thousands_mark
from data.tables.sniffing import SAMPLE_CHARACTERS, inspect_text
from data.tables.text import Text

MOST_FILES = 100
FROM = "from file"
"""The column that says from which file a row comes."""
FROM_FILES = (FROM, *(f"{what}file" for what in NAMED_PARTS.values()))
"""All columns that say from which file a row comes."""
_ITEM = "item"
_WORD = re.compile(r"[^\W_]+")
_LONGEST = 60
_FEWEST_COPIED = 20
"""Rows that stand in several files, from which on one of them is a copy."""
_FORMS = {
    "long": "one row per rating",
    "rater columns": "a column for each rater",
    "measure columns": "a column for each measure",
    "item columns": "a column for each item",
    "surrogate columns": "a column for each surrogate",
    GRADE_COLUMNS: "a column for each grade",
    OPTION_COLUMNS: "a column for each option",
    PLACE_COLUMNS: "a column for each place",
    ENDS: "the best and the worst of tuples",
}


@dataclass(frozen=True)
class OneFile:
    """One of the files, by its name, as the table that was made of it. Where it seems to be of a format, but holds no
    rating, `unrated` is the format and `aside` what was set aside."""

    name: str
    text: Text
    sniffed: Sniffed
    sample: Sequence[Sequence[str]]
    unrated: str = ""
    aside: Path | None = None


def check_number(files: Sequence[str]) -> None:
    if len(files) > MOST_FILES:
        raise OverLimit(
            f"these are {thousands(len(files))} files; at most {MOST_FILES} can be read together. Put their rows into "
            "fewer files"
        )


def parts_of(names: Sequence[str], given: object = None) -> tuple[str, ...]:
    """Return what each file stands for: as told, or what is different between the names.

    >>> parts_of(["2024 ratings crowd.csv", "2024 ratings lab.csv"]), parts_of(["mos_lab_1.csv", "mos_lab_2.csv"])
    (('crowd', 'lab'), ('lab 1', 'lab 2'))
    >>> parts_of(["ratings.csv", "ratings_late.csv"]), parts_of(["crowd/ratings.csv", "lab/ratings.csv"])
    (('ratings', 'ratings late'), ('crowd', 'lab'))
    """
    if given is not None:
        given = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Sequence) else ()
        if len(given) != len(names) or not all(isinstance(each, str) and each.strip() for each in given):
            raise BadMapping(
                f"{FILES} must say of each of the {len(names)} files what it is, in their order; got {given!r}"
            )
        return tuple(each.strip()[:_LONGEST] for each in given)
    words, before, after = _words(names)
    parts = [each[before : len(each) - after] for each in words]
    if before and all("".join(part).isdigit() for part in parts):
        parts = [each[before - 1 : len(each) - after] for each in words]
    if not all(parts):
        parts = words
    found = [" ".join(part)[:_LONGEST] for part in parts]
    if not all(found) or len(set(found)) < len(found):
        found = [f"{at}: {name}"[:_LONGEST] for at, name in enumerate(names, start=1)]
    return tuple(found)


def common_name(names: Sequence[str]) -> str:
    """Return what several files are called as one: what their names have in common, else what they stand for.

    >>> common_name(["mos_crowd.csv", "mos_lab.csv"]), common_name(["crowd.csv", "lab.csv"])
    ('mos', 'crowd and lab')
    """
    words, before, after = _words(names)
    common = " ".join([*words[0][:before], *words[0][len(words[0]) - after :]])
    first, *others = parts_of(names)
    return common or (f"{first} and {others[0]}" if len(others) == 1 else f"{first} and {len(others)} more")


def combine_files(
    files: Sequence[OneFile], parts: Sequence[str], folder: Path, limits: Settings
) -> tuple[Text, Sniffed]:
    """All rows as one table, with what each file stands for in the last columns."""
    formats = {file.sniffed.format for file in files}
    format = next((name for name in formats if name), "")
    rated = [file for file in files if not (file.unrated and file.unrated in formats)]
    proposals = [propose(file.sniffed) for file in rated]
    tables = {frozenset((file.sniffed.format, *map(str.casefold, file.sniffed.names))) for file in rated}
    if not rated[0].sniffed.format and len(tables) == 1:
        proposals = proposals[:1] * len(rated)
    _check_same_layout(rated, proposals)
    rows_as_items = proposals[0].mapping.get("item_id") == ROW
    columns: dict[str, str] = {_ITEM: _ITEM} if rows_as_items else {}
    renamed: dict[int, Mapping[str, str]] = {}
    for file, proposal in zip(rated, proposals, strict=True):
        names = _common_columns(file.sniffed, proposal, columns, proposals[0])
        columns |= {name.casefold(): name for name in names.values() if name.casefold() not in columns}
        renamed[id(file)] = names
    sheets = {name for file in rated for name in (part.name for part in file.sniffed.parts)}
    told_of = [part for file, part in zip(files, parts, strict=True) if id(file) in renamed]
    are_records = all(file.sniffed.rows == 1 for file in rated)
    if are_records:
        told_of = _without_told_words(rated, told_of)
    roles = _roles(rated, told_of, proposals)
    if are_records and not roles:
        _check_names_of_rows(told_of, proposals[0])
    told_by = {role: _free_name(columns, f"{NAMED_PARTS[role]}file") for role in roles}
    part = _free_name(columns, FROM)
    is_told = not any(told_of)
    is_plain = are_records and not all(map(str.isdigit, told_of)) and not are_groups([*{*told_of}])
    ordered = [name for name in columns.values() if name not in sheets]
    ordered += [name for name in columns.values() if name in sheets]
    lines = [0]
    copies = _Copies(rated, proposals)

    def rows() -> Iterator[Made]:
        named, told = zip(*roles.values(), strict=True), iter(told_of)
        for file, stands_for in zip(files, parts, strict=True):
            begin = last = lines[-1]
            names = renamed.get(id(file), {})
            given = {} if is_told else {part: next(told) if names else stands_for}
            if names and roles:
                given = dict(zip(told_by.values(), next(named), strict=True))
            same = all(name == common for name, common in names.items())
            commas = _decimal_commas(file) if names and file.sniffed.decimal == "," else []
            table = Table(file.text, file.sniffed, file.sample)
            for row in table.all_rows() if names else read_asides(file.aside):
                line = row.line if isinstance(row, Aside) else row[0]
                last = max(last, begin + line)
                if isinstance(row, Aside):
                    yield replace(row, line=begin + line)
                    continue
                copies.look_at(file, row[1])
                cells = dict(row[1]) if same else {names[name]: cell for name, cell in row[1].items()}
                for name in commas:
                    if is_comma_number(cell := cells[names[name]]):
                        cells[names[name]] = cell.replace(",", ".")
                if rows_as_items:
                    cells[_ITEM] = f"row {line - file.sniffed.before}"
                yield begin + line, cells | given
            lines.append(last)

    said_by = () if is_told else (*told_by.values(),) or (part,)
    canonical, nothing = Canonical((*ordered, *said_by), rows()), "row of these files can be read"
    of_parts, of_each = (
        (*(name for name in ordered if name in sheets), *(() if is_plain else said_by)),
        SAMPLE_CHARACTERS // len(files),
    )
    written = write(canonical, folder, "utf-8", limits, "together", nothing, parts=of_parts, of_each=of_each)
    copies.refuse()
    sniffed, sample = inspect_text(written.text, header_rows=1)
    sniffed = replace(sniffed, readings=readings_of(sniffed, sample))
    first = rated[0].sniffed
    file_names = ", ".join(f"{file.name} (as {of})" for file, of in zip(files, parts, strict=True))
    notes = [f"Read together: {file_names}."]
    if rows_as_items:
        notes.append("No column names the items; the same row of each file is taken for the same item.")
    form = str(proposals[0].mapping.get("@form", "long"))
    if form != "long":
        notes.append(f"Every file has {_FORMS[form]}.")
    notes += [f"{file.name} holds no rating." for file in files if id(file) not in renamed]
    said: dict[str, list[str]] = {}
    for file in rated:
        others = {
            name: common for name, common in renamed[id(file)].items() if name.casefold() != common.casefold()
        }
        called = ", ".join(f'"{name}" is read as "{common}"' for name, common in others.items())
        notes += [f"In {file.name}, {called}."] if others else []
        for sentence in file.sniffed.problems:
            said.setdefault(sentence, []).append(file.name)
    notes += [
        text if len(names) == len(rated) else f"{listed(names)}: {text}" for text, names in said.items()
    ]
    known = _known(rated)
    raters = [  # of a format that found no name of a rater in any of the files
        column.examples
        for file in rated
        for column in file.sniffed.columns
        if file.sniffed.known and column.name == file.sniffed.known.mapping.get("rater_id")
    ]
    if known and len(rated) > 1 and set(raters) <= {(UNNAMED,)}:
        known = replace(known, mapping={n: c for n, c in known.mapping.items() if n != "rater_id"})
        notes = [note for note in notes if not note.endswith(ONE_RATER)]
    sniffed = replace(
        sniffed,
        encoding=first.encoding if len({file.sniffed.encoding for file in rated}) == 1 else "utf-8",
        header_rows=first.header_rows,
        problems=(*notes, *sniffed.problems),
        format=format,
        source=first.source,
        switches=first.switches,
        known=known,
        files=tuple(file.name for file in files),
        starts=tuple(lines[:-1]),
    )
    return written.text, sniffed


class _Copies:
    """Files whose first rows, which name raters and answer differently, all stand in other files, too."""

    def __init__(self, files: Sequence[OneFile], proposals: Sequence[Proposal]) -> None:
        self._files = files
        self._of: dict[int, set[str]] = {}
        self._also: dict[str, set[int]] = {}
        for file, proposal in zip(files, proposals, strict=True):
            head = Table(file.text, file.sniffed, file.sample).head
            answers = proposal.mapping.get(kind_named(proposal.kind).cells, ())
            given = {tuple(row[name] for name in named_by(answers)) for row in head}
            is_told = "@form" in proposal.mapping or proposal.mapping.get("rater_id", SLOT) != SLOT
            for row in head if is_told and len(given) > 1 else ():
                self._of.setdefault(hash((*row, *row.values())), set()).add(file.name)

    def look_at(self, file: OneFile, row: Mapping[str, str]) -> None:
        """Note in which other files the row stands."""
        key = hash((*row, *row.values()))
        for name in self._of.get(key, set()) - {file.name}:
            self._also.setdefault(name, set()).add(key)

    def refuse(self) -> None:
        """Raise an error where a file is a copy."""
        for file in self._files:
            rows = {key for key, names in self._of.items() if file.name in names}
            if len(rows) >= _FEWEST_COPIED and rows == self._also.get(file.name):
                raise UnreadableFile(
                    f'the rows of "{file.name}" stand in other files of these as well, as in folds for '
                    "cross-validation. Each answer would count several times: leave out the copies"
                )


def _roles(
    files: Sequence[OneFile], parts: Sequence[str], proposals: Sequence[Proposal]
) -> Mapping[str, tuple[str, ...]]:
    """Return the two roles that the files' names fill, each with its values in their order; none for other names."""
    grid = next(iter(grids_of(parts)), None)
    kind = kind_named(proposals[0].addition or proposals[0].kind)
    if grid is None or (kind.column("measure") is None and kind is not RANKINGS):
        return {}
    taken = {name for proposal in proposals for name, of in proposal.mapping.items() if of != ROW}
    taken |= {kind.forms.get(str(proposals[0].mapping.get("@form")), "")}
    raters = [_raters_of(file, proposal) for file, proposal in zip(files, proposals, strict=True)]
    found = roles_of(grid, raters if all(raters) else None)
    numbers = found.get("measure", ()) if found else ()
    if (
        found
        and "rater_group" in found
        and "rater_id" not in taken
        and numbers
        and all(map(str.isdecimal, numbers))
    ):
        names = zip(found["rater_group"], numbers, strict=True)
        found = {"rater_id": tuple(map(" ".join, names)), "rater_group": found["rater_group"]}
    return found if found and taken.isdisjoint(found) else {}


def _without_told_words(files: Sequence[OneFile], parts: Sequence[str]) -> list[str]:
    """Return what each file of one row stands for, without the words that the cells of each hold as well, such as the
    rater's name, at the same place in all names."""
    words = [_WORD.findall(part) for part in parts]
    if len({*map(len, words)}) > 1:
        return [*parts]
    held = []
    for file in files:
        rows = Table(file.text, file.sniffed, file.sample).head
        cells = " ".join(cell for row in rows for cell in row.values() if not is_any_number(cell))
        held.append({*_WORD.findall(cells), *re.findall(r"\d+", cells)})
    left = [
        place
        for place in zip(*words, strict=True)
        if any(word not in cells for word, cells in zip(place, held, strict=True))
    ]
    return [" ".join(each) for each in zip(*left, strict=True)] if left else [""] * len(parts)


def _check_names_of_rows(parts: Sequence[str], proposal: Proposal) -> None:
    """Refuse files of one row each that name no rater, where their own names say two things."""
    if proposal.mapping.get("rater_id") == ROW and grids_of(parts):
        raise UnreadableFile(
            f"each of these files holds one row and names no rater. Their own names, such as "
            f'"{parts[0]}" and "{parts[-1]}", say two things, of which one may be the rater: write the rater into a '
            "column of each file"
        )


def _raters_of(file: OneFile, proposal: Proposal) -> frozenset[str]:
    """The raters that a file names: its columns, or the values of one."""
    if proposal.mapping.get("@form") == "rater columns":
        return frozenset(proposal.mapping.get("score", ()))
    source = proposal.mapping.get("rater_id")
    table = Table(file.text, file.sniffed, file.sample)
    named = source if source in file.sniffed.names else None  # else rows are raters
    return frozenset(row[named] for row in table.head) if isinstance(named, str) else frozenset()


def _words(names: Sequence[str]) -> tuple[list[list[str]], int, int]:
    """The words of the names, and how many of them are the same in all at the beginning and at the end."""
    words = [_WORD.findall(_stem(name)) for name in names]
    most = min(map(len, words))
    before = next((at for at in range(most) if len({each[at] for each in words}) > 1), most)
    after = next(
        (at for at in range(most - before) if len({each[-1 - at] for each in words}) > 1), most - before
    )
    return words, before, after


def _stem(name: str) -> str:
    """A file's name, with its folders, without what tells the format."""
    plain = PurePosixPath(name.replace("\\", "/"))
    while plain.suffix and re.fullmatch(r"\.[A-Za-z]\w{0,6}", plain.suffix) and plain.stem:
        plain = plain.with_suffix("")
    return str(plain)


def _check_same_layout(files: Sequence[OneFile], proposals: Sequence[Proposal]) -> None:
    """Refuses files that are no rows of one table, and says which one is not and what it has."""
    first = files[0]
    kinds = [kind_named(proposal.addition or proposal.kind) for proposal in proposals]
    kind = kinds[0]
    needed = [name for name in kind.required if name in proposals[0].mapping]
    forms = [str(proposal.mapping.get("@form", "long")) for proposal in proposals]
    plain = ("", SPREADSHEET, SINGLE_FIELDS.name)
    formats = [
        f"is {'a plain table' if file.sniffed.format in plain else file.sniffed.format}" for file in files
    ]
    holds = [
        f"holds {each.name}" if each.name in KINDS else f"tells of {each.rows}, one row each"
        for each in kinds
    ]
    for at, (file, proposal, form) in enumerate(zip(files, proposals, forms, strict=True)):
        if formats[at] != formats[0]:
            raise _unlike(file, formats[at], first, formats[0])
        if kinds[at].name != kind.name:
            raise _unlike(file, holds[at], first, holds[0])
        if form != forms[0]:
            raise _unlike(file, f"has {_FORMS[form]}", first, f"has {_FORMS[forms[0]]}")
        lacking = [name for name in needed if name not in proposal.mapping]
        if lacking:
            theirs, column = proposals[0].mapping[lacking[0]], kind.column(lacking[0])
            called = (column.called if column else "") or lacking[0]
            its = f"has no column for the {called} (its columns: {listed(file.sniffed.names)})"
            raise _unlike(file, its, first, f'has "{theirs}"' if isinstance(theirs, str) else "has some")
        if kind.needs_further and {*file.sniffed.names} != {*first.sniffed.names}:
            raise _unlike(
                file, f"has {listed(file.sniffed.names)}", first, f"has {listed(first.sniffed.names)}"
            )


def _unlike(file: OneFile, its: str, first: OneFile, firsts: str) -> UnreadableFile:
    return UnreadableFile(
        f'"{file.name}" {its}, "{first.name}" {firsts}: files that are uploaded together are tables of one kind with '
        "the same columns; leave this one out, and add what it tells of the same items or raters once the others are "
        "saved"
    )


def _common_columns(
    sniffed: Sniffed, proposal: Proposal, columns: Mapping[str, str], first: Proposal
) -> dict[str, str]:
    """By what name each column of a file stands in the table: that of the first file that has it."""
    own = {name.casefold() for name in sniffed.names}
    names = {name: columns.get(name.casefold(), name) for name in sniffed.names}
    for meaning, source in proposal.mapping.items():
        firsts = first.mapping.get(meaning)
        if meaning.startswith("@") or not (isinstance(source, str) and isinstance(firsts, str)):
            continue
        if source in names and source.casefold() not in columns and firsts.casefold() in {*columns} - own:
            names[source] = firsts
    return names


def _free_name(columns: Mapping[str, str], wanted: str) -> str:
    others = (f"{wanted} ({at})" for at in range(2, len(columns) + 3))
    return next(name for name in (wanted, *others) if name.casefold() not in columns)


def _decimal_commas(file: OneFile) -> list[str]:
    """Return the columns of numbers, codes of missing answers aside, whose commas can be nothing but decimal."""
    found = []
    for at, column in enumerate(file.sniffed.columns):
        cells = [
            row[at] for row in file.sample if at < len(row) and row[at].strip() and not is_missing(row[at])
        ]
        is_decimal = file.sniffed.delimiter == ";" or thousands_mark(cells)[0] != ","
        if is_decimal and 2 * sum(map(is_any_number, cells)) > len(cells):
            found.append(column.name)
    return found


def _known(files: Sequence[OneFile]) -> Known | None:
    """Return what the files' format knows of the columns of any of them."""
    known = [file.sniffed.known for file in files if file.sniffed.known is not None]
    if not known:
        return None
    mapping: dict[str, str | tuple[str, ...]] = {}
    for each in known:
        mapping = dict(each.mapping) | mapping
    return Known(known[0].kind, mapping, tuple(dict.fromkeys(name for each in known for name in each.open)))
