"""What figures become without the raters of a scenario, beside the same figures with everyone."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import partial

from analysis.screening.rater_selection import change
from charts.parts.numbers import count, decimal
from findings.study import Scenario
from findings.words import Sentence, listed

NOBODY_LEFT: Sentence = (
    "Nobody is left: everyone is left out. Choose fewer in the sidebar (<b>Leave out</b>).",
    {},
)
_DIFFERENCE = partial(decimal, digits=3)


def left_out_words(chosen: Scenario) -> dict[str, object]:
    """Values for "without {k} rater{s} ({name})"."""
    left_out = len(chosen.left_out_codes)
    return {"k": left_out, "s": "" if left_out == 1 else "s", "name": chosen.name}


def who_is_left_out(chosen: Scenario) -> Sentence:
    """Whom a scenario leaves out, the first few by name, and by what rule."""
    return "Left out: {who} ({name}).", {
        "who": ", ".join(chosen.names[:6])
        + (f" and {count(len(chosen.names) - 6)} more" if len(chosen.names) > 6 else ""),
        "name": chosen.name,
    }


def marked(raters: Iterable[Hashable], left_out: Collection[Hashable]) -> list[str]:
    """The column "Left out" of a table of raters."""
    gone = set(left_out)
    return ["yes" if rater in gone else "" for rater in raters]


def most_changed(chosen: Scenario, changes: Sequence[tuple[str, float, float]], what: str) -> Sentence:
    """The measure whose figure changes most: (measure, with everyone, without) of each."""
    defined = [c for c in changes if change(c[1], c[2]) == change(c[1], c[2])]
    values = left_out_words(chosen)
    if not defined:
        return "Without <b>{k} rater{s}</b> ({name}) no measure can be compared any more.", values
    measure, before, after = max(defined, key=lambda c: abs(change(c[1], c[2])))
    return (
        "These figures are without <b>{k} rater{s}</b> ({name}). {what} changes most on {measure}: "
        "<b>{after}</b> instead of {before} with everyone.",
        {
            **values,
            "what": what,
            "measure": listed([measure]),
            "after": decimal(after, 3),
            "before": decimal(before, 3),
        },
    )


def change_columns(name: str, before: float, after: float) -> dict[str, float]:
    """A figure with everyone, without those left out, and the difference, as columns of a table."""
    return {
        f"{name}, everyone": before,
        f"{name}, without": after,
        f"{name}, difference": change(before, after),
    }


def written(columns: Iterable[Hashable]) -> dict[str, Callable[[float], str]]:
    """How the columns of such a table are written."""
    return {
        column: _DIFFERENCE
        for column in map(str, columns)
        if column.endswith(("everyone", "without", "difference")) and not column.startswith(("Items", "Knee"))
    }
