"""What has become of a file that is read: how much of it is kept, and who rated what in it."""

from data.importing.report import ImportReport
from data.kinds.kind import Kind
from features.plotting.numbers import count
from features.words import Sentence, of_many

NAMED_GROUPS = 3
"""Groups up to which each is named with its raters."""


def verdict(kind: Kind, report: ImportReport) -> Sentence:
    """How many rows are kept of those read, and how many raters of which groups rated how many items."""
    return (
        "<b>{kept} of {read} {rows}{files} kept</b>{aside}{who}.",
        {
            "kept": count(report.kept),
            "read": count(report.rows_read),
            "rows": kind.rows,
            "files": f" of {len(report.files)} files" if report.files else "",
            "aside": f", {count(report.set_aside)} set aside" if report.set_aside else "",
            "who": f": {_who(kind, report)}" if report.kept else "",
        },
    )


def _who(kind: Kind, report: ImportReport) -> str:
    items = of_many(report.items, kind.items)
    if not report.raters:
        return items
    raters = of_many(report.raters, kind.raters)
    groups = report.groups
    if 1 < len(groups) <= NAMED_GROUPS:
        (name, first), *others = groups
        told = [
            f"{of_many(first, kind.raters)} of {name}",
            *(f"{count(n)} of {other}" for other, n in others),
        ]
        raters = " and ".join([", ".join(told[:-1]), told[-1]])
    elif groups:
        raters += f" in {len(groups)} groups" if len(groups) > 1 else f" of {groups[0][0]}"
    return f"{raters} {kind.rated} {items}"
