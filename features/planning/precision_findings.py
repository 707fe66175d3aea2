"""Finding, notes and table of how precisely a planned study measures a figure."""

from collections.abc import Iterator
from math import isfinite, isnan

from features.blocks import Finding, Note, Table, Warning
from features.planning.power_results import Curves
from features.planning.precision_results import (
    AGREEMENT,
    CORRELATION,
    MOS,
    OF_OTHERS,
    SHARE,
    SYSTEM,
    PrecisionFound,
)
from features.planning.variances import loads_notes, raters_of
from features.plotting.numbers import count, decimal
from features.tables import Column, table_of
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import counted, of_many

TYPICAL = "for a typical item; disputed items are less certain"
_ABOUT = {
    MOS: "an item's mean rating",
    SYSTEM: "a system's mean",
    CORRELATION: "a correlation with a reference",
    AGREEMENT: "agreement",
    OF_OTHERS: "agreement",
    SHARE: "a share of votes",
}
_SCOPE = {
    SYSTEM: "for other raters and other items",
    CORRELATION: "for these raters",
    AGREEMENT: "for other items and these raters",
    OF_OTHERS: "for other items and other raters, of whom all rate about as much",
    SHARE: "for other items and these raters",
}


def precision_finding(found: PrecisionFound) -> Finding:
    """Return the half-width that the study gives, and what the wanted one needs."""
    spec, here = found.spec, found.here
    about = _ABOUT[spec.what]
    if isnan(here.value):
        return not_enough_data(
            f"Not enough data for an interval of {about}: it needs more ratings.", {}, *_size(found)
        )
    counted_along = "ratings of an item" if spec.what == MOS else "items"
    needs = f"no number of {counted_along} alone reaches ±\u00a0{decimal(spec.wanted)}"
    if isfinite(found.needed):
        needs = f"for ±\u00a0{decimal(spec.wanted)}: {of_many(found.needed, counted_along)}"
        if spec.what == MOS:
            needs = f"for ±\u00a0{decimal(spec.wanted)}: {counted(int(found.needed), 'rating')} of an item"
    return clear_if(
        isnan(here.low) or excludes(here, spec.wanted),
        f"This plan measures {about} to <b>±\u00a0{{half}}</b>.",
        {"half": decimal(here.value)},
        "" if isnan(here.low) else f"95% CI {decimal(here.low)}–{decimal(here.high)}, from the pilot",
        "" if isnan(found.expected) else f"Expected value {decimal(found.expected)}",
        *_size(found),
        "" if found.variances is None else found.variances.source,
        _scope(found),
        needs,
    )


def _size(found: PrecisionFound) -> list[str]:
    spec = found.spec
    if spec.what == MOS:
        return [f"{counted(spec.per_item, 'rating')} of an item"]
    each = raters_of(found.plan) if spec.counts_raters else f"{counted(spec.per_item, 'rating')} each"
    return [of_many(spec.items, "items"), each]


def _scope(found: PrecisionFound) -> str:
    if found.spec.what != MOS:
        return _SCOPE[found.spec.what]
    return "for items compared by the same raters" if found.compares_only else "for other raters"


def precision_notes(found: PrecisionFound) -> Iterator[Note | Warning]:
    """Yield where a width is rough, which items it holds for, and the source of the variances."""
    if found.spec.counts_raters:
        yield from loads_notes(found.loads, found.plan, "width")
    if not isnan(found.sd):
        yield Note((f"The SD of the ratings of one item is {{sd}}, {TYPICAL}.", {"sd": decimal(found.sd)}))
    if found.variances is not None and found.variances.note is not None:
        yield Note(found.variances.note)


def precision_table(found: PrecisionFound, curves: Curves) -> Table:
    """Return the half-width at each point of the figure, those of the chosen ratings per item first."""
    spec = found.spec
    chosen_first = sorted(curves.items(), key=lambda of: of[0] != spec.per_item)
    rows = [(k, x, e) for k, (along, es) in chosen_first for x, e in zip(along, es, strict=True)]
    each = [] if spec.what == MOS else [Column("Ratings per item", [k for k, _, _ in rows], count)]
    return table_of(
        "precision",
        f"Half-width of the 95% interval of {_ABOUT[spec.what]}.",
        [
            Column(spec.along, [x for _, x, _ in rows], count),
            *each,
            Column("±", [e.value for _, _, e in rows], lambda value: decimal(value, 3)),
        ],
    )
