"""SPSS files (.sav, .zsav): codes as numbers, or as the labels that the file gives them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from data.errors import BadMapping, DataError, UnreadableFile, listed
from data.formats.files.workbook import as_text as cell_as_text
from data.formats.parts.format import Canonical, Made
from data.formats.parts.writing import write
from data.settings import from_environment
from data.tables.sniffed import Switch
from data.tables.text import Text, check_columns, check_growth

_VALUES = Switch(
    "@values",
    "Codes with labels are",
    ("numbers on scales, else labels", "numbers", "labels"),
    "SPSS stores 1 and says elsewhere that 1 is 'never'. On a scale, numbers are what figures need: where some values "
    "have no label, or four or more that count up have one.",
)
_FEWEST_POINTS = 4
_PIECE = 50_000
_CELL = 8
"""Bytes that a cell takes at least, before it is packed."""


def reads(head: bytes) -> bool:
    return head.startswith((b"$FL2", b"$FL3"))


def as_text(path: Path, folder: Path, mapping: Mapping[str, str | Sequence[str]]) -> Text:
    try:
        import pyreadstat
    except ImportError as error:
        raise UnreadableFile(
            "this is an SPSS file, and the package that reads these is not installed here: "
            "`pip install -r requirements-optional.txt`; or save the table as CSV (UTF-8) in SPSS"
        ) from error
    limits = from_environment()
    setting = str(mapping.get(_VALUES.name, _VALUES.allowed[0]))
    if setting not in _VALUES.allowed:
        raise BadMapping(f"{_VALUES.name} must be one of {listed(_VALUES.allowed)}; got {setting!r}")
    try:
        _, metadata = pyreadstat.read_sav(str(path), metadataonly=True)
        check_growth(_CELL * (metadata.number_rows or 0) * len(metadata.column_names), path.stat().st_size)
        frame, meta = pyreadstat.read_sav(str(path), row_limit=limits.rows + 1)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # of a class for each version of the library
        raise UnreadableFile(
            "this SPSS file is damaged or was not copied whole; open it in SPSS or PSPP and save it again, or save the "
            "table as CSV (UTF-8)"
        ) from error
    names = [str(name) for name in meta.column_names]
    check_columns(len(names), limits)
    labels = {
        name: value_labels for name, value_labels in meta.variable_value_labels.items() if name in frame
    }
    if setting == _VALUES.allowed[0]:
        values = {name: frame[name].dropna().unique() for name in labels}
        labels = {
            name: value_labels
            for name, value_labels in labels.items()
            if not _is_scale(value_labels, values[name])
        }
    applied_labels = labels if setting != "numbers" else {}
    notes: tuple[str, ...] = ()
    if meta.variable_value_labels:
        notes = (
            f"Read as labels: {listed(applied_labels)}."
            if applied_labels
            else "Codes are read as numbers, not as their labels.",
        )

    def rows() -> Iterator[Made]:
        for begin in range(0, len(frame), _PIECE):
            piece = frame.iloc[begin : begin + _PIECE].itertuples(index=False, name=None)
            for line, row in enumerate(piece, start=begin + 1):
                yield (
                    line,
                    {
                        name: _cell(value, applied_labels.get(name))
                        for name, value in zip(names, row, strict=True)
                    },
                )

    canonical = Canonical(tuple(names), rows(), notes=notes)
    text = write(canonical, folder, "utf-8", limits, "cases", "case of this file can be read").text
    switches = (_VALUES,) if meta.variable_value_labels else ()
    return Text(text.path, "utf-8", text.lines, False, True, text.aside, True, notes, switches)


def _is_scale(labels: Mapping[Any, str], present: Iterable[Any]) -> bool:
    """Return True where labelled codes are points of a scale: not all have a label, or many that count up."""
    if not all(isinstance(value, int | float) for value in labels):
        return False
    values = sorted(float(value) for value in labels)
    counting = values == [values[0] + step for step in range(len(values))]
    return (counting and len(values) >= _FEWEST_POINTS) or any(value not in labels for value in present)


def _cell(value: Any, labels: Mapping[Any, str] | None) -> str:
    if value is None or value != value:
        return ""
    if labels and value in labels:
        return str(labels[value])
    return cell_as_text(value)
