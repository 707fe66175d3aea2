"""MQM annotations: one row per error that a rater marked in a segment, or one that says there is none.

A rating is the weighted sum of a rater's errors in a segment, a penalty: less is better. Weights as in Freitag et al.
(TACL 2021), table 12.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from data.formats.parts.answers import known_of
from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.table import Cells, Table
from data.tables.sniffed import Switch

_NO_ERROR = ("no-error", "noerror", "no error", "neutral", "none")
_ERRORS = ("minor", "major", "critical")
_MARKS = re.compile(r"</?v>")
_SEGMENT = ("globalsegid", "docsegid", "seg_id", "segid", "segment_id", "segment")
_DOCUMENT = ("doc", "docid", "doc_id", "document")
_WEIGHTS = Switch(
    "@weights",
    "Weights of errors",
    (
        "major 5, minor 1, minor punctuation 0.1, non-translation 25",
        "major 5, minor 1",
        "major 10, minor 1",
        "every error 1",
    ),
    "A rating is the sum of a rater's weighted errors in a segment; a segment without errors is 0.",
)
_COLUMNS = ("item", "rater", "answer", "measure", "system", "topic", "errors", "text")
_MEASURE = "MQM penalty"
"""A name that says that less is better: systems are ranked by it."""


@dataclass
class _Sum:
    line: int
    row: Cells
    penalty: float = 0.0
    errors: int = 0


def _knows(table: Table) -> bool:
    return table.lower >= {"system", "rater", "category", "severity"} and bool(table.first(*_SEGMENT))


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    system, rater, category, severity, target = (
        table.first(name) for name in ("system", "rater", "category", "severity", "target")
    )
    segment, document = table.first(*_SEGMENT), table.first(*_DOCUMENT)

    def ratings() -> Iterator[Made]:
        sums: dict[tuple[str, ...], _Sum] = {}
        for row in table.all_rows():
            if isinstance(row, Aside):
                yield row
                continue
            line, cells = row
            weight = _weight(cells[category].casefold(), cells[severity].casefold(), chosen[_WEIGHTS.name])
            if weight is None:
                yield Aside(
                    line, severity, "the severity is neither minor, major nor no error", cells[severity]
                )
                continue
            key = (cells[document] if document else "", cells[segment], cells[system], cells[rater])
            of_rating = sums.setdefault(key, _Sum(line, cells))
            of_rating.penalty += weight
            of_rating.errors += weight > 0
        for (doc, seg, made_by, rated_by), of_rating in sums.items():
            yield (
                of_rating.line,
                {
                    "item": "__".join(part for part in (f"{doc}#{seg}" if doc else seg, made_by) if part),
                    "rater": rated_by,
                    "answer": f"{of_rating.penalty:.10g}",
                    "measure": _MEASURE,
                    "system": made_by,
                    "topic": doc,
                    "errors": str(of_rating.errors),
                    "text": _MARKS.sub("", of_rating.row[target]) if target else "",
                },
            )

    known = known_of(_COLUMNS, ["0"])
    note = (
        f"A rating is the sum of a rater's errors in a segment ({chosen[_WEIGHTS.name]}): a penalty, of which less is "
        "better. A segment that a rater found without errors is 0."
    )
    return Canonical(_COLUMNS, ratings(), known, (note,))


def _weight(category: str, severity: str, weights: str) -> float | None:
    """The weight of an error; None for a severity that is not known."""
    if severity in _NO_ERROR or category in _NO_ERROR:
        return 0.0
    if severity not in _ERRORS:
        return None
    if weights == "every error 1":
        return 1.0
    if severity == "minor":
        return 0.1 if "0.1" in weights and "punctuation" in category else 1.0
    if "non-translation 25" in weights and category.replace("-", "").startswith("nontranslation"):
        return 25.0
    return 10.0 if "major 10" in weights else 5.0


FORMAT = Format("MQM TSV", _knows, _canonical, (_WEIGHTS,))
