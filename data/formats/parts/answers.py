"""Which columns of a platform's answers are ratings or choices, and what the table made of them means."""

from collections.abc import Sequence

from data.errors import listed
from data.formats.parts.columns import filled, is_answer, is_numeric
from data.formats.parts.table import Cells
from data.tables.sniffed import Known, begins_with_number, is_number

_SHARED = {
    "item_id": "item",
    "rater_id": "rater",
    "check": "check",
    "seconds": "seconds",
    "rated_at": "submitted",
    "status": "status",
}


def answers_of(rows: Sequence[Cells], names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns that hold ratings, else those that hold labels, and sentences about what was left out."""
    able = [name for name in names if is_answer(filled(rows, name))]
    scored = [name for name in able if _is_score(filled(rows, name))]
    chosen = tuple(scored or able)
    left = [name for name in names if name not in chosen and filled(rows, name)]
    notes = []
    if len(chosen) > 1:
        what = "measure" if scored else "design"
        notes.append(f"{len(chosen)} columns of answers ({listed(chosen)}) are taken for one {what} each.")
    if left:
        notes.append(f"Not taken for ratings: {listed(left)}.")
    return chosen, tuple(notes)


def _is_score(cells: Sequence[str]) -> bool:
    return is_numeric(cells) or all(begins_with_number(cell) for cell in cells)


def known_of(
    cells: Sequence[str], measures: bool, further: tuple[str, ...], without: Sequence[str] = ()
) -> Known:
    """What the columns item, rater, answer, measure, check, expected, seconds, submitted and status mean where the
    answers are these `cells`; `further` columns are for their names and values to tell."""
    told = [cell for cell in cells if cell]
    mapping: dict[str, str | tuple[str, ...]] = {
        name: source for name, source in _SHARED.items() if name not in without
    }
    if not _is_score(told):
        mapping |= {"choice": "answer", "gold": "expected"}
        if measures:
            mapping["design"] = "measure"
        return Known("choices", mapping, further)
    mapping |= {"score": "answer", "expected": "expected"}
    if measures:
        mapping["measure"] = "measure"
    if not is_numeric(told):
        mapping["@scores"] = "leading number"
    return Known("ratings", mapping, further)


def share(seconds: str, answers: int) -> str:
    """The seconds of one answer among several; empty where that is not told."""
    if not is_number(seconds) or answers < 1:
        return ""
    return f"{float(seconds) / answers:.6g}"
