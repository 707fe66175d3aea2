"""From a file of any format to a table of UTF-8 text on disk, one rating per row where its format is known.

Two steps: a reader makes a table of whatever bytes there are (its place is in `READERS`), and where one of the
`FORMATS` knows that table, it makes its own of it. From there on all formats are alike.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from analysis.values.estimate import thousands
from data.errors import BadMapping, DataError, UnreadableFile, listed
from data.formats.files import columnar, excel, json_records, python_source, spss
from data.formats.multiple_files import OneFile, check_number, combine_files, parts_of
from data.formats.parts.format import Format, Table
from data.formats.parts.responses import SEVERAL, items_of_answers
from data.formats.parts.writing import ASIDE, write
from data.formats.platforms import (
    annotation,
    answer_lists,
    crowd,
    experiments,
    ids,
    label_studio,
    language_models,
    mturk,
    spreadsheets,
    surveys,
    translation,
    whole_rankings,
)
from data.formats.platforms.spreadsheets import SPREADSHEET
from data.kinds.definitions import KINDS
from data.mapping.likely_kind import truth_of
from data.mapping.plan import FILES, FileMapping, header_rows
from data.mapping.proposal import Proposal, propose
from data.reading.item_means import find_item_means
from data.reading.reader import readings_of
from data.reading.votes import find_class_votes, find_votes
from data.settings import Settings, from_environment
from data.tables import text as delimited_text
from data.tables.archives import extract, gunzipped, only_file, packed_files
from data.tables.rows import Row, rows
from data.tables.sniffed import Known, Sniffed
from data.tables.sniffing import SAMPLE_CHARACTERS, inspect_text
from data.tables.text import Text, cached_by_content, check_size, head_of

FORMATS: tuple[Format, ...] = (
    *mturk.FORMATS,
    *crowd.FORMATS,
    *label_studio.FORMATS,
    *annotation.FORMATS,
    *surveys.FORMATS,
    *experiments.FORMATS,
    *translation.FORMATS,
    *language_models.FORMATS,
    *answer_lists.FORMATS,
    *ids.FORMATS,
    *whole_rankings.FORMATS,
    *spreadsheets.FORMATS,
    answer_lists.SINGLE_FIELDS,
)
"""The formats of platforms that are recognised in a table of text; the first that knows a table makes its own of it."""
_HEAD = 1 << 16
_COLUMNS_OF_VALUES, _ROWS_OF_VALUES, _LONGEST_VALUE = 200, 20_000, 200
AS_IT_STANDS = ""
"""The name of no format: the table is read as it stands."""


class Reader(Protocol):
    """Interface of a module that makes a table of a file's bytes."""

    def reads(self, head: bytes) -> bool:
        """Return True where a file that begins so is of this format."""

    def as_text(self, path: Path, folder: Path, mapping: Mapping[str, str | Sequence[str]]) -> Text:
        """Return the file as a table of UTF-8 text, written into `folder` where it is none; a mapping may hold the
        settings of the reader's switches."""


READERS: Mapping[Reader, str] = {
    json_records: "JSON", excel: "Excel", columnar: "", spss: "SPSS", python_source: "Python", delimited_text: ""
}  # fmt: skip
"""Readers, the first that can read a file first, with the kind of file that is not text."""


def as_text(path: Path, folder: Path, mapping: Mapping[str, str | Sequence[str]]) -> Text:
    """Return a file of any format as a table of UTF-8 text."""
    head = head_of(path, _HEAD)
    reader = next(reader for reader in READERS if reader.reads(head))
    text = reader.as_text(path, folder, mapping)
    return replace(text, source=text.source or READERS[reader])


@dataclass(frozen=True)
class _Order:
    """Settings of reading a file: with so many header rows, by the format of this name (None for whichever knows it),
    and with the settings of a mapping."""

    header: int | None
    format: str | None
    mapping: Mapping[str, str | Sequence[str]]
    limits: Settings


@contextmanager
def as_table(
    path: Path, folder: Path, mapping: Mapping[str, str | Sequence[str]], limits: Settings
) -> Iterator[tuple[Text, Sniffed]]:
    """Yield the table to which a mapping refers: the one that `@format` makes, or the file's own."""
    header, format = header_rows(mapping.get("@header")), str(mapping.get("@format", AS_IT_STANDS))
    with TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as inside:
        yield _read_table(path, Path(inside), _Order(header, format, mapping, limits))


def sniff(
    path: Path,
    header: int | None = None,
    format: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> Sniffed:
    """Look at a file and return its description and readings. `header` overrules the guess of how many header rows
    there are (True is one), and then the table is read as it stands; `format` overrules which format is recognised, and
    `settings` the defaults of the file's switches."""
    if format is None and header is not None:
        format = AS_IT_STANDS
    with open_table(path, header, format, settings) as (_, sniffed):
        return replace(sniffed, settings=tuple((settings or {}).items()))


def values(path: Path, header: int | None, format: str | None, maximum: int) -> dict[str, tuple[str, ...]]:
    """Return up to `maximum` different values of each of the first columns of a file, from its first rows."""
    with open_table(path, header, format) as (text, sniffed):
        values_of_columns: dict[str, dict[str, None]] = {
            name: {} for name in sniffed.names[:_COLUMNS_OF_VALUES]
        }
        for row in islice(rows(text.path, sniffed.before, sniffed.delimiter), _ROWS_OF_VALUES):
            if isinstance(row, Row):
                for name, cell in zip(values_of_columns, row.cells, strict=False):
                    values_of_column = values_of_columns[name]
                    if len(values_of_column) < maximum and 0 < len(cell := cell.strip()) <= _LONGEST_VALUE:
                        values_of_column[cell] = None
    return {name: tuple(values_of_column) for name, values_of_column in values_of_columns.items()}


@contextmanager
def open_table(
    path: Path,
    header: int | None = None,
    format: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[tuple[Text, Sniffed]]:
    """Yield the table of a file in a folder that is deleted afterwards, and its description."""
    limits = from_environment()
    limits.spool.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=limits.spool, ignore_cleanup_errors=True) as folder:
        yield _read_table(path, Path(folder), _Order(header, format, settings or {}, limits))


def _read_table(path: Path, folder: Path, order: _Order) -> tuple[Text, Sniffed]:
    """Return the table of a file, or of all files in an archive of several."""
    unpacked = gunzipped(path, folder)
    members = packed_files(unpacked) or []
    about = [file.name for file in packed_files(unpacked, documents=True) or []]
    notes = (f"Not read, as no table: {listed(about)}.",) if about else ()
    if len(members) < 2:
        table = _read_one(only_file(unpacked, folder), folder, order, order.format is None)
        return table.text, replace(table.sniffed, problems=(*table.sniffed.problems, *notes))
    names = [file.name for file in members]
    check_number(names)
    check_size(sum(file.size for file in members))
    labels, files = parts_of(names, order.mapping.get(FILES)), []
    for number, file in enumerate(members):
        inside = folder / str(number)
        inside.mkdir()
        member_path = inside / "file"
        try:
            extract(unpacked, file, member_path)
            table = _read_one(only_file(gunzipped(member_path, inside), inside), inside, order, True)
        except DataError as error:
            raise type(error)(f'"{file.name}": {error}. Correct it, or leave it out') from error
        files.append(replace(table, name=file.name))
    text, sniffed = combine_files(files, labels, folder, order.limits)
    return text, replace(sniffed, problems=(*sniffed.problems, *notes))


def _read_one(path: Path, folder: Path, order: _Order, may_be_none: bool) -> OneFile:
    """Read one file; where it `may_be_none` of its format, the table as it stands if it holds no rating."""
    text = as_text(path, folder, order.mapping)
    sniffed, sample = inspect_text(text, order.header if order.format == AS_IT_STANDS else None)
    table = Table(text, sniffed, sample)
    format = _format_of(table, order.format)
    if format is None:
        return _plain_table(table, guessed=order.format is None)
    try:
        return _make_table(format, table, folder, order)
    except UnreadableFile as error:
        if not may_be_none:
            raise
        problem = f"The columns are those of {format.name}, but {error}. The table is read as it stands."
        sniffed_as_plain = replace(
            sniffed, problems=(*sniffed.problems, problem), readings=readings_of(sniffed, sample)
        )
        aside = folder / ASIDE
        return OneFile("", text, sniffed_as_plain, sample, *((format.name, aside) if aside.exists() else ()))


def _plain_table(table: Table, guessed: bool) -> OneFile:
    """Return a table of no known format with the ways to read it."""
    has_votes = bool(find_votes(table.names, table.sample) or find_class_votes(table.names, table.sample)[0])
    mapping = find_item_means(table.names, table.sample) if guessed and not has_votes else {}
    sniffed = replace(table.sniffed, known=Known("items of ratings", mapping) if mapping else None)
    cache_key = ("readings", sniffed.header_rows, sniffed.parts, sniffed.source)
    readings = cached_by_content(table.text.path, cache_key, lambda: readings_of(sniffed, table.sample))
    return OneFile("", table.text, replace(sniffed, readings=readings), table.sample)


def _format_of(table: Table, name: str | None) -> Format | None:
    """Return the format of this name, "" for none, or the first that recognizes the table."""
    if name is None:
        return next((format for format in FORMATS if format.knows(table)), None)
    names = {format.name: format for format in FORMATS}
    if name and name not in names:
        raise BadMapping(f"@format must be one of {listed(names)}; got {name!r}")
    return names.get(name)


def _make_table(format: Format, table: Table, folder: Path, order: _Order) -> OneFile:
    """Return the table that a format makes of another, and its description."""
    chosen = format.chosen(order.mapping)
    canonical = format.canonical(table, chosen)
    if chosen.get(SEVERAL.name) == SEVERAL.allowed[1]:
        canonical = items_of_answers(canonical)
    parts = table.names[len(table.names) - table.text.parts :] if format.name == SPREADSHEET else ()
    sample_size = SAMPLE_CHARACTERS // max(len(parts), 1) if parts else 0
    written = write(
        canonical, folder, table.text.encoding, order.limits, parts=tuple(parts), sample_size=sample_size
    )
    sniffed, sample = inspect_text(written.text, header_rows=1)
    has_measures = "measure" in written.filled  # answers in a row: only then is it asked what they are
    offered = [
        switch
        for switch in format.switches
        if not switch.asked or has_measures or switch.name in order.mapping
    ]
    counts_of_reasons = [
        f"{thousands(count)} {'row is' if count == 1 else 'rows are'} set aside: {reason}."
        for reason, count in written.set_aside.most_common(5)
    ]
    known_columns, filled_columns = canonical.known, written.filled
    if known_columns:
        needed = KINDS[known_columns.kind].required
        mapping = {
            role: column
            for role, column in known_columns.mapping.items()
            if column in filled_columns or role in needed or role.startswith("@")
        }
        known_columns = replace(
            known_columns,
            mapping=mapping,
            open=tuple(name for name in known_columns.open if name in filled_columns),
        )
    made_sniffed = replace(
        sniffed,
        readings=() if canonical.known else readings_of(sniffed, sample),
        problems=(*table.sniffed.problems, *canonical.notes, *counts_of_reasons),
        format=format.name,
        source=table.sniffed.source,
        switches=(*table.sniffed.switches, *offered),
        known=known_columns,
    )
    return OneFile("", written.text, made_sniffed, sample)


LONG = "long table"
MATRIX = "item x rater matrix"
CROWD_KIT, TRUTH = "crowd-kit", "gold answers"
RATERS = "what is known of raters"


@dataclass(frozen=True)
class Recognised:
    """Format and kind that a file seems to have.

    format : the platform or tool that wrote it, else how the table is laid out
    kind : which kind of table it is; of one without ratings that tells about the items or raters of a study, which kind
        of addition ("items of choices")
    mapping : canonical column -> column of the table that the format makes; may lack required columns, which the user
        must choose then
    notes : sentences about what was assumed, switched and set aside
    """

    format: str
    kind: str
    mapping: FileMapping
    notes: tuple[str, ...]


def recognise(path: str | Path) -> Recognised:
    """Look at a file, packed or not, and say what its content is; nothing is saved.

    Returns
    -------
    Recognised
        what `Store.add` uses where kind and mapping are not given, and what `Store.check` and `Store.add` accept.

    Raises
    ------
    DataError
        where the file cannot be read as a table; the message says what it is and what to do.
    """
    sniffed = sniff(Path(path))
    proposal = propose(sniffed)
    format, notes = sniffed.format or _layout_name(sniffed, proposal), (*sniffed.problems, *proposal.notes)
    return Recognised(format, proposal.addition or proposal.kind, proposal.mapping, notes)


def _layout_name(sniffed: Sniffed, proposal: Proposal) -> str:
    """Return the name of the layout of a table that no format recognizes."""
    if proposal.mapping.get("@form") == "rater columns":
        return MATRIX
    names = {name.casefold() for name in sniffed.names}
    if names == {"task", "worker", "label"}:
        return CROWD_KIT
    if proposal.addition:
        return TRUTH if truth_of(sniffed) else RATERS
    return LONG
