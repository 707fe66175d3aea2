"""Codes in the answers of a reading that stand for a missing one."""

from collections import Counter
from dataclasses import replace

from analysis.values.columns import thousands
from data.kinds.plain_names import plain_name
from data.kinds.ratings import RATINGS
from data.reading.columns import far_off, is_missing
from data.reading.long_layouts import MEASURES_BESIDE
from data.reading.profile import TableProfile
from data.tables.sniffed import Reading


def with_missing_codes(reading: Reading, table: TableProfile) -> tuple[Reading, ...]:
    """Return the reading with the codes in its answers that stand for a missing one; of labels, which may be called so,
    also the one without."""
    cells = reading.answers
    if reading.kind != RATINGS.name:
        labels = Counter(cell for one in table.columns if one.name in cells for cell in one.filled)
        is_answer = "both" in map(plain_name, labels)  # of two options, neither is an answer as well
        found = {
            label: times
            for label, times in labels.items()
            if is_missing(label) and not (is_answer and plain_name(label) == "none")
        }
        if not found:
            return (reading,)
        said = ", ".join(f'"{code}" ({thousands(times)})' for code, times in found.items())
        missing = replace(
            reading,
            mapping={**reading.mapping, "@missing": tuple(found)},
            notes=(*reading.notes, f"Taken for missing answers: {said}."),
        )
        return missing, replace(
            reading, evidence=reading.evidence - 0.01, notes=(*reading.notes, f"Taken for labels: {said}.")
        )
    answers = [one for one in table.columns if one.name in cells and one.holds in ("numbers", "words")]
    codes: Counter[str] = Counter()
    for one in answers:
        codes.update(one.codes)
    groups = [[one] for one in answers] if reading.layout == MEASURES_BESIDE else [answers]
    for group in groups:
        scores = Counter(
            cell for one in group if one.holds == "numbers" and not one.leading for cell in one.filled
        )
        codes.update({cell: scores[cell] for cell in far_off(scores)})
    if not codes:
        return (reading,)
    said = ", ".join(f'"{code}" ({thousands(times)})' for code, times in codes.most_common())
    numbers = [code for code in codes if not is_missing(code)]
    note = f"Missing answers among the first rows: {said}; they are left out."
    if numbers:
        note = f"{said}: far off the scale, so taken for missing answers and left out."
    mapping = {**reading.mapping, "@missing": tuple(codes)}
    return (
        replace(
            reading, mapping=mapping, notes=(note, *reading.notes) if numbers else (*reading.notes, note)
        ),
    )
