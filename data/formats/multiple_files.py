"""Several files of one study as one table: their rows one below the other, and a column that names the file.

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
"""The column that names the file of a row."""
FROM_FILES = (FROM, *(f"{what}file" for what in NAMED_PARTS.values()))
"""All columns that name the file of a row, or parts of its name."""
_ITEM = "item"
_WORD = re.compile(r"[^\W_]+")
_LONGEST = 60
_FEWEST_COPIED = 20
"""Least number of shared rows that makes a file a copy of others."""
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


def parts_of(names: Sequence[str], setting: object = None) -> tuple[str, ...]:
    """Return the label of each file: the one of a mapping, or what is different between the names.

    >>> parts_of(["2024 ratings crowd.csv", "2024 ratings lab.csv"]), parts_of(["mos_lab_1.csv", "mos_lab_2.csv"])
    (('crowd', 'lab'), ('lab 1', 'lab 2'))
    >>> parts_of(["ratings.csv", "ratings_late.csv"]), parts_of(["crowd/ratings.csv", "lab/ratings.csv"])
    (('ratings', 'ratings late'), ('crowd', 'lab'))
    """
    if setting is not None:
        values = (setting,) if isinstance(setting, str) else setting
        values = tuple(values) if isinstance(values, Sequence) else ()
        if len(values) != len(names) or not all(isinstance(value, str) and value.strip() for value in values):
            raise BadMapping(
                f"{FILES} must say of each of the {len(names)} files what it is, in their order; got {values!r}"
            )
        return tuple(value.strip()[:_LONGEST] for value in values)
    words, common_start, common_end = _words(names)
    parts = [words_of_name[common_start : len(words_of_name) - common_end] for words_of_name in words]
    if common_start and all("".join(part).isdigit() for part in parts):
        parts = [words_of_name[common_start - 1 : len(words_of_name) - common_end] for words_of_name in words]
    if not all(parts):
        parts = words
    labels = [" ".join(part)[:_LONGEST] for part in parts]
    if not all(labels) or len(set(labels)) < len(labels):
        labels = [f"{number}: {name}"[:_LONGEST] for number, name in enumerate(names, start=1)]
    return tuple(labels)


def common_name(names: Sequence[str]) -> str:
    """Return a common name of several files: what their names have in common, else their labels.

    >>> common_name(["mos_crowd.csv", "mos_lab.csv"]), common_name(["crowd.csv", "lab.csv"])
    ('mos', 'crowd and lab')
    """
    words, common_start, common_end = _words(names)
    common = " ".join([*words[0][:common_start], *words[0][len(words[0]) - common_end :]])
    first, *others = parts_of(names)
    return common or (f"{first} and {others[0]}" if len(others) == 1 else f"{first} and {len(others)} more")


def combine_files(
    files: Sequence[OneFile], labels: Sequence[str], folder: Path, limits: Settings
) -> tuple[Text, Sniffed]:
    """Return all rows as one table, with the labels of their files in the last columns."""
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
    rated_labels = [label for file, label in zip(files, labels, strict=True) if id(file) in renamed]
    are_records = all(file.sniffed.rows == 1 for file in rated)
    if are_records:
        rated_labels = _without_words_of_cells(rated, rated_labels)
    roles = _roles(rated, rated_labels, proposals)
    if are_records and not roles:
        _check_names_of_rows(rated_labels, proposals[0])
    columns_of_roles = {role: _free_name(columns, f"{NAMED_PARTS[role]}file") for role in roles}
    label_column = _free_name(columns, FROM)
    cells_hold_labels = not any(rated_labels)
    is_plain = are_records and not all(map(str.isdigit, rated_labels)) and not are_groups([*{*rated_labels}])
    ordered = [name for name in columns.values() if name not in sheets]
    ordered += [name for name in columns.values() if name in sheets]
    lines = [0]
    copy_check = _Copies(rated, proposals)

    def rows() -> Iterator[Made]:
        values_of_roles, remaining_labels = zip(*roles.values(), strict=True), iter(rated_labels)
        for file, label in zip(files, labels, strict=True):
            begin = last = lines[-1]
            names = renamed.get(id(file), {})
            label_cells = (
                {} if cells_hold_labels else {label_column: next(remaining_labels) if names else label}
            )
            if names and roles:
                label_cells = dict(zip(columns_of_roles.values(), next(values_of_roles), strict=True))
            has_common_names = all(name == common for name, common in names.items())
            commas = _decimal_commas(file) if names and file.sniffed.decimal == "," else []
            table = Table(file.text, file.sniffed, file.sample)
            for row in table.all_rows() if names else read_asides(file.aside):
                line = row.line if isinstance(row, Aside) else row[0]
                last = max(last, begin + line)
                if isinstance(row, Aside):
                    yield replace(row, line=begin + line)
                    continue
                copy_check.look_at(file, row[1])
                cells = (
                    dict(row[1]) if has_common_names else {names[name]: cell for name, cell in row[1].items()}
                )
                for name in commas:
                    if is_comma_number(cell := cells[names[name]]):
                        cells[names[name]] = cell.replace(",", ".")
                if rows_as_items:
                    cells[_ITEM] = f"row {line - file.sniffed.before}"
                yield begin + line, cells | label_cells
            lines.append(last)

    label_columns = () if cells_hold_labels else (*columns_of_roles.values(),) or (label_column,)
    canonical = Canonical((*ordered, *label_columns), rows())
    sampling_columns = (*(name for name in ordered if name in sheets), *(() if is_plain else label_columns))
    written = write(
        canonical,
        folder,
        "utf-8",
        limits,
        "together",
        "row of these files can be read",
        parts=sampling_columns,
        sample_size=SAMPLE_CHARACTERS // len(files),
    )
    copy_check.refuse()
    sniffed, sample = inspect_text(written.text, header_rows=1)
    sniffed = replace(sniffed, readings=readings_of(sniffed, sample))
    first = rated[0].sniffed
    file_names = ", ".join(f"{file.name} (as {label})" for file, label in zip(files, labels, strict=True))
    notes = [f"Read together: {file_names}."]
    if rows_as_items:
        notes.append("No column names the items; the same row of each file is taken for the same item.")
    form = str(proposals[0].mapping.get("@form", "long"))
    if form != "long":
        notes.append(f"Every file has {_FORMS[form]}.")
    notes += [f"{file.name} holds no rating." for file in files if id(file) not in renamed]
    files_by_problem: dict[str, list[str]] = {}
    for file in rated:
        renamings = {
            name: common for name, common in renamed[id(file)].items() if name.casefold() != common.casefold()
        }
        renaming = ", ".join(f'"{name}" is read as "{common}"' for name, common in renamings.items())
        notes += [f"In {file.name}, {renaming}."] if renamings else []
        for sentence in file.sniffed.problems:
            files_by_problem.setdefault(sentence, []).append(file.name)
    notes += [
        text if len(names) == len(rated) else f"{listed(names)}: {text}"
        for text, names in files_by_problem.items()
    ]
    known_columns = _merge_known(rated)
    raters = [  # of a format that found no name of a rater in any of the files
        column.examples
        for file in rated
        for column in file.sniffed.columns
        if file.sniffed.known and column.name == file.sniffed.known.mapping.get("rater_id")
    ]
    if known_columns and len(rated) > 1 and set(raters) <= {(UNNAMED,)}:
        known_columns = replace(
            known_columns, mapping={n: c for n, c in known_columns.mapping.items() if n != "rater_id"}
        )
        notes = [note for note in notes if not note.endswith(ONE_RATER)]
    sniffed = replace(
        sniffed,
        encoding=first.encoding if len({file.sniffed.encoding for file in rated}) == 1 else "utf-8",
        header_rows=first.header_rows,
        problems=(*notes, *sniffed.problems),
        format=format,
        source=first.source,
        switches=first.switches,
        known=known_columns,
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
            different_answers = {tuple(row[name] for name in named_by(answers)) for row in head}
            names_raters = "@form" in proposal.mapping or proposal.mapping.get("rater_id", SLOT) != SLOT
            for row in head if names_raters and len(different_answers) > 1 else ():
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
    files: Sequence[OneFile], labels: Sequence[str], proposals: Sequence[Proposal]
) -> Mapping[str, tuple[str, ...]]:
    """Return the two roles that the files' names fill, each with its values in their order; none for other names."""
    grid = next(iter(grids_of(labels)), None)
    kind = kind_named(proposals[0].addition or proposals[0].kind)
    if grid is None or (kind.column("measure") is None and kind is not RANKINGS):
        return {}
    mapped = {name for proposal in proposals for name, of in proposal.mapping.items() if of != ROW}
    mapped |= {kind.forms.get(str(proposals[0].mapping.get("@form")), "")}
    raters = [_raters_of(file, proposal) for file, proposal in zip(files, proposals, strict=True)]
    roles = roles_of(grid, raters if all(raters) else None)
    numbers = roles.get("measure", ()) if roles else ()
    if (
        roles
        and "rater_group" in roles
        and "rater_id" not in mapped
        and numbers
        and all(map(str.isdecimal, numbers))
    ):
        names = zip(roles["rater_group"], numbers, strict=True)
        roles = {"rater_id": tuple(map(" ".join, names)), "rater_group": roles["rater_group"]}
    return roles if roles and mapped.isdisjoint(roles) else {}


def _without_words_of_cells(files: Sequence[OneFile], parts: Sequence[str]) -> list[str]:
    """Return the labels of files of one row each, without the words that the cells of each hold as well, such as the
    rater's name, at the same position in all names."""
    words = [_WORD.findall(part) for part in parts]
    if len({*map(len, words)}) > 1:
        return [*parts]
    words_of_files = []
    for file in files:
        rows = Table(file.text, file.sniffed, file.sample).head
        cells = " ".join(cell for row in rows for cell in row.values() if not is_any_number(cell))
        words_of_files.append({*_WORD.findall(cells), *re.findall(r"\d+", cells)})
    remaining = [
        word_per_file
        for word_per_file in zip(*words, strict=True)
        if any(word not in cells for word, cells in zip(word_per_file, words_of_files, strict=True))
    ]
    return (
        [" ".join(label_words) for label_words in zip(*remaining, strict=True)]
        if remaining
        else [""] * len(parts)
    )


def _check_names_of_rows(labels: Sequence[str], proposal: Proposal) -> None:
    """Refuse files of one row each that name no rater, where their own names say two things."""
    if proposal.mapping.get("rater_id") == ROW and grids_of(labels):
        raise UnreadableFile(
            f"each of these files holds one row and names no rater. Their own names, such as "
            f'"{labels[0]}" and "{labels[-1]}", say two things, of which one may be the rater: write the rater into a '
            "column of each file"
        )


def _raters_of(file: OneFile, proposal: Proposal) -> frozenset[str]:
    """Return the raters that a file names: its columns, or the values of one."""
    if proposal.mapping.get("@form") == "rater columns":
        return frozenset(proposal.mapping.get("score", ()))
    source = proposal.mapping.get("rater_id")
    table = Table(file.text, file.sniffed, file.sample)
    column = source if source in file.sniffed.names else None  # else rows are raters
    return frozenset(row[column] for row in table.head) if isinstance(column, str) else frozenset()


def _words(names: Sequence[str]) -> tuple[list[list[str]], int, int]:
    """Return the words of the names, and how many of them are the same in all at the beginning and at the end."""
    words = [_WORD.findall(_stem(name)) for name in names]
    shortest = min(map(len, words))
    common_start = next((at for at in range(shortest) if len({each[at] for each in words}) > 1), shortest)
    common_end = next(
        (at for at in range(shortest - common_start) if len({each[-1 - at] for each in words}) > 1),
        shortest - common_start,
    )
    return words, common_start, common_end


def _stem(name: str) -> str:
    """Return a file's name, with its folders, without the endings of its format."""
    path = PurePosixPath(name.replace("\\", "/"))
    while path.suffix and re.fullmatch(r"\.[A-Za-z]\w{0,6}", path.suffix) and path.stem:
        path = path.with_suffix("")
    return str(path)


def _check_same_layout(files: Sequence[OneFile], proposals: Sequence[Proposal]) -> None:
    """Refuse files that are no rows of one table; the message names the file that differs and what it has."""
    first = files[0]
    kinds = [kind_named(proposal.addition or proposal.kind) for proposal in proposals]
    kind = kinds[0]
    needed = [name for name in kind.required if name in proposals[0].mapping]
    forms = [str(proposal.mapping.get("@form", "long")) for proposal in proposals]
    table_formats = ("", SPREADSHEET, SINGLE_FIELDS.name)
    formats = [
        f"is {'a plain table' if file.sniffed.format in table_formats else file.sniffed.format}"
        for file in files
    ]
    holds = [
        f"holds {kind_of_file.name}"
        if kind_of_file.name in KINDS
        else f"tells of {kind_of_file.rows}, one row each"
        for kind_of_file in kinds
    ]
    for index, (file, proposal, form) in enumerate(zip(files, proposals, forms, strict=True)):
        if formats[index] != formats[0]:
            raise _layout_error(file, formats[index], first, formats[0])
        if kinds[index].name != kind.name:
            raise _layout_error(file, holds[index], first, holds[0])
        if form != forms[0]:
            raise _layout_error(file, f"has {_FORMS[form]}", first, f"has {_FORMS[forms[0]]}")
        lacking = [name for name in needed if name not in proposal.mapping]
        if lacking:
            first_column, column = proposals[0].mapping[lacking[0]], kind.column(lacking[0])
            role_name = (column.called if column else "") or lacking[0]
            difference = f"has no column for the {role_name} (its columns: {listed(file.sniffed.names)})"
            raise _layout_error(
                file,
                difference,
                first,
                f'has "{first_column}"' if isinstance(first_column, str) else "has some",
            )
        if kind.needs_further and {*file.sniffed.names} != {*first.sniffed.names}:
            raise _layout_error(
                file, f"has {listed(file.sniffed.names)}", first, f"has {listed(first.sniffed.names)}"
            )


def _layout_error(file: OneFile, difference: str, first: OneFile, expected: str) -> UnreadableFile:
    return UnreadableFile(
        f'"{file.name}" {difference}, "{first.name}" {expected}: files that are uploaded together are tables of one '
        "kind with the same columns; leave this one out, and add what it tells of the same items or raters once the "
        "others are saved"
    )


def _common_columns(
    sniffed: Sniffed, proposal: Proposal, columns: Mapping[str, str], first: Proposal
) -> dict[str, str]:
    """Return the name of each column of a file in the common table: that of the first file that has it."""
    own_names = {name.casefold() for name in sniffed.names}
    names = {name: columns.get(name.casefold(), name) for name in sniffed.names}
    for meaning, source in proposal.mapping.items():
        first_source = first.mapping.get(meaning)
        if meaning.startswith("@") or not (isinstance(source, str) and isinstance(first_source, str)):
            continue
        if (
            source in names
            and source.casefold() not in columns
            and first_source.casefold() in {*columns} - own_names
        ):
            names[source] = first_source
    return names


def _free_name(columns: Mapping[str, str], name: str) -> str:
    others = (f"{name} ({at})" for at in range(2, len(columns) + 3))
    return next(candidate for candidate in (name, *others) if candidate.casefold() not in columns)


def _decimal_commas(file: OneFile) -> list[str]:
    """Return the columns of numbers, codes of missing answers aside, whose commas can be nothing but decimal."""
    decimal_columns = []
    for index, column in enumerate(file.sniffed.columns):
        cells = [
            row[index]
            for row in file.sample
            if index < len(row) and row[index].strip() and not is_missing(row[index])
        ]
        is_decimal = file.sniffed.delimiter == ";" or thousands_mark(cells)[0] != ","
        if is_decimal and 2 * sum(map(is_any_number, cells)) > len(cells):
            decimal_columns.append(column.name)
    return decimal_columns


def _merge_known(files: Sequence[OneFile]) -> Known | None:
    """Return the meaning of columns that the files' format knows, for the columns of any of them."""
    known_of_files = [file.sniffed.known for file in files if file.sniffed.known is not None]
    if not known_of_files:
        return None
    mapping: dict[str, str | tuple[str, ...]] = {}
    for known in known_of_files:
        mapping = dict(known.mapping) | mapping
    return Known(
        known_of_files[0].kind,
        mapping,
        tuple(dict.fromkeys(name for known in known_of_files for name in known.open)),
    )
