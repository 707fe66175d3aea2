"""A report's numbers as JSON: every printed table unrounded, and its findings in words."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from features.verdicts import sentence_of
from features.words import plain
from report.parts.model import Report, Section, Table


def results_json(report: Report) -> str:
    """The whole report without its pictures; a number that is not defined is null."""
    told = {
        "title": report.title,
        "notes": report.notes,
        "made": dict(report.facts),
        "asked": _known(report.settings),
        "sections": [_section(section) for section in report.sections],
    }
    return json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False)


def _section(section: Section) -> dict[str, Any]:
    return {
        "name": section.name,
        "title": section.title,
        "findings": [plain(sentence_of(one)) for one in section.findings],
        "finding_statuses": [one.status for one in section.findings],
        "finding_evidence": [plain(one.evidence) for one in section.findings],
        "finding_warnings": [[plain(each) for each in one.warnings] for one in section.findings],
        "details": [plain(sentence_of(one)) for one in section.details],
        "detail_statuses": [one.status for one in section.details],
        "detail_evidence": [plain(one.evidence) for one in section.details],
        "detail_warnings": [[plain(each) for each in one.warnings] for one in section.details],
        "warnings": [plain(one) for one in section.warnings],
        "notes": [plain(one) for one in section.notes],
        "methods": [plain(one) for one in section.methods],
        "tables": [_table(table) for table in section.printed_tables],
    }


def _table(table: Table) -> dict[str, Any]:
    numbers = table.numbers
    return {
        "name": table.name,
        "caption": plain(table.caption),
        "columns": [str(column) for column in numbers],
        "rows": [[_known(cell) for cell in row] for row in numbers.itertuples(index=False)],
        "notes": list(table.printed.notes),
    }


def _known(value: object) -> object:
    """A value that JSON knows, unrounded."""
    if isinstance(value, Mapping):
        return {str(name): _known(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_known(one) for one in value]
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and abs(value) == float("inf"):
        return None
    return value if isinstance(value, str | int | float | bool) else str(value)
