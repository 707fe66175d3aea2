"""What figures become without the raters of a scenario, beside the same figures with everyone."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import partial

from analysis.screening.observer_rejection import change
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from features.blocks import Finding
from features.plotting.numbers import count, decimal
from features.study import Scenario
from features.verdicts import not_enough_data, uncertain
from features.words import Sentence, counted, listed

NOBODY_LEFT: Sentence = (
    "Nobody is left: everyone is left out. Choose fewer in the sidebar (<b>Leave out</b>).",
    {},
)
Changed = tuple[str, Estimate, Estimate]
"""A measure, its figure with everyone and without those left out, each over its items."""
_DIFFERENCE = partial(decimal, digits=3)


def left_out_words(chosen: Scenario) -> dict[str, object]:
    """Values for "without {k} rater{s} ({name})"."""
    left_out = len(chosen.left_out_codes)
    return {"k": left_out, "s": "" if left_out == 1 else "s", "name": chosen.name}


def who_is_left_out(chosen: Scenario) -> Sentence:
    """Whom a scenario leaves out, the first few by name, and by what rule."""
    return "Left out: {who} ({name}).", {
        "who": ", ".join(map(shorten, chosen.names[:6]))
        + (f" and {count(len(chosen.names) - 6)} more" if len(chosen.names) > 6 else ""),
        "name": chosen.name,
    }


def marked(raters: Iterable[Hashable], left_out: Collection[Hashable]) -> list[str]:
    """The column "Left out" of a table of raters."""
    gone = set(left_out)
    return ["yes" if rater in gone else "" for rater in raters]


def most_changed(chosen: Scenario, changes: Sequence[Changed], what: str) -> Finding:
    """The measure whose figure changes most in these ratings, which claims nothing of others."""
    defined = [each for each in changes if each[1].defined and each[2].defined]
    values = left_out_words(chosen)
    if not any(before.defined for _, before, _ in changes):
        return not_enough_data(
            "No measure can be compared, with or without <b>{k} rater{s}</b> ({name}).", values
        )
    if not defined:
        return not_enough_data(
            "Without <b>{k} rater{s}</b> ({name}) no measure can be compared any more.", values
        )
    measure, before, after = max(defined, key=lambda each: abs(change(each[1].value, each[2].value)))
    of_which = "{what} of {measure} is" if len(changes) == 1 else "{what} changes most on {measure}:"
    return uncertain(
        f"These figures are without <b>{{k}} rater{{s}}</b> ({{name}}). In these ratings {of_which} "
        "<b>{after}</b> over {items} instead of {before} over {items_before} with everyone. How far it would change "
        "with other items or raters is not worked out here.",
        {
            **values,
            "what": what,
            "measure": listed([measure]),
            "after": decimal(after.value, 3),
            "before": decimal(before.value, 3),
            "items": counted(after.n, "item"),
            "items_before": count(before.n),
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
