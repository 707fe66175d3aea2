# ruff: noqa: S608 - column names are quoted by `_quoted`, the table is ours
"""Export of a data set: its rows in the file's order, with the import report.

The engine writes the table, so that it never passes through this process's memory. Parquet holds the rows
exactly; in CSV a text that a spreadsheet would run as a formula gets an apostrophe, by the rule of
`data.export.neutralize`, and the report in the archive says so.
"""

import json
import re
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import duckdb

from analysis.values.estimate import thousands
from data.dataset import Dataset
from data.engines.schema import literal, quoted, table_of
from data.errors import DataError
from data.export import FORMULA_PATTERN, NUMBER_PATTERN, neutralize
from data.kinds.definitions import KINDS

_FORMATS = {
    "csv": ("FORMAT csv, HEADER true", zipfile.ZIP_DEFLATED),
    "parquet": ("FORMAT parquet, COMPRESSION zstd", zipfile.ZIP_STORED),  # compressed already
}
_MAX_STEM_LENGTH = 60


def check_form(form: str) -> None:
    """Raise `DataError` for a format in which data sets cannot be exported."""
    if form not in _FORMATS:
        raise DataError(f"a data set comes as {' or '.join(_FORMATS)}, not as {form!r}")


def write(
    cursor: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    report: dict[str, Any] | None,
    form: str,
    folder: Path,
) -> Path:
    """Write a zip with the table and its import report, as text and as JSON, into a folder of the spool."""
    options, compression = _FORMATS[form]
    stem = _file_stem(dataset)
    table = folder / f"table.{form}"
    cursor.execute(f"COPY ({_table_sql(cursor, dataset, form)}) TO {literal(table)} ({options})")
    archive = folder / f"{stem}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zip_file:
        zip_file.write(table, f"{stem}.{form}", compression)
        zip_file.writestr("import-report.txt", _report_as_text(dataset, report, form))
        zip_file.writestr("import-report.json", json.dumps(_report_as_dict(dataset, report), indent=2))
    table.unlink()
    return archive


def _table_sql(cursor: duckdb.DuckDBPyConnection, dataset: Dataset, form: str) -> str:
    table = table_of(dataset.id)
    columns = []
    for name, type, *_ in cursor.execute(f"DESCRIBE {table}").fetchall():
        if name == "row":
            continue
        cell, header = quoted(name), str(name)
        if form == "csv":
            header = str(neutralize(header))
            if type == "VARCHAR":
                cell = _neutralize_sql(cell)
        columns.append(f"{cell} AS {quoted(header)}")
    return f'SELECT {", ".join(columns)} FROM {table} ORDER BY "row"'


def _neutralize_sql(cell: str) -> str:
    """Return the SQL of `data.export.neutralize` for a column of texts."""
    return (
        f"CASE WHEN regexp_matches({cell}, '^{FORMULA_PATTERN}') AND NOT regexp_full_match({cell}, '{NUMBER_PATTERN}') "
        f"THEN '''' || {cell} ELSE {cell} END"
    )


def _file_stem(dataset: Dataset) -> str:
    """Return a file name that is safe on every system; the kind at its end avoids names of devices."""
    ascii_name = unicodedata.normalize("NFKD", dataset.name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_name)[:_MAX_STEM_LENGTH].strip("-")
    return f"{slug or 'data-set'}-{dataset.kind}"


def _report_as_dict(dataset: Dataset, report: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "name": dataset.name,
        "kind": dataset.kind,
        "saved": dataset.created.isoformat(),
        "sha256": dataset.sha256,
        "rows_kept": dataset.rows_kept,
        "rows_set_aside": dataset.rows_set_aside,
        "columns": [column.name for column in dataset.columns],
        "mapping": dict(dataset.mapping),
        "report": report,
    }


def _report_as_text(dataset: Dataset, report: dict[str, Any] | None, form: str) -> str:
    kind = KINDS[dataset.kind]
    lines = [
        f"Data set: {dataset.name}",
        f"Kind: {kind.title}",
        *([f"Imported from: {report['file']}"] if report and report["file"] else []),
        f"Saved: {dataset.created:%Y-%m-%d %H:%M} UTC",
        f"Content (SHA-256 of file, kind and mapping): {dataset.sha256}",
        "",
        f"{kind.rows.capitalize()} kept: {thousands(dataset.rows_kept)}",
        f"Rows set aside: {thousands(dataset.rows_set_aside)}",
    ]
    if report is None:
        lines.append("  Why is not known: the data set was saved before reports were kept.")
    else:
        if report["check_rows"]:
            lines.append(
                f"  {thousands(report['check_rows'])} with a check: they are in the table, but in no figure"
            )
        lines += [_format_reason(reason) for reason in report["reasons"]]
    lines += ["", "Columns, and what they were in the file:"]
    lines += [f"  {name}: {_list_source(source)}" for name, source in dataset.mapping.items()]
    for title in ("warnings", "notes"):
        sentences = report[title] if report else []
        if sentences:
            lines += ["", f"{title.capitalize()}:", *(f"  {sentence}" for sentence in sentences)]
    if form == "csv":
        lines += [
            "",
            "In the CSV, a text that a spreadsheet would run as a formula has an apostrophe before it. The "
            "Parquet file holds every text as it is.",
        ]
    return "\n".join(_one_line(line) for line in lines) + "\n"


def _format_reason(reason: dict[str, Any]) -> str:
    column = f'"{reason["column"]}": ' if reason["column"] else ""
    return f"  {thousands(reason['rows'])} {column}{reason['reason']}"


def _list_source(source: str | tuple[str, ...]) -> str:
    return source if isinstance(source, str) else ", ".join(source)


def _one_line(text: str) -> str:
    """Collapse white space, since names may contain line breaks.

    >>> _one_line("  a\\nSaved: never")
    '  a Saved: never'
    """
    indent = text[: len(text) - len(text.lstrip(" "))]
    return indent + " ".join(text.split())
