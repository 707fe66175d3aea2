"""docs/calibration.md: a row per figure and design, what lies outside its limits, and what pages say of that."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from benchmarks.calibration.experiment import BLOCK, FEWEST, LIMITS, NOMINAL, Experiment, Kind, stored
from benchmarks.calibration.said import Said, said_of

FIRST = """# Do intervals cover, and do tests reject, as often as they say?

Made by `python -m benchmarks calibration`; simulated studies of known truth, a fixed seed for each row. Intervals
should cover 92 to 98 % and tests of a true null reject 3 to 7 % at .05, in balanced and unequal designs with 6 raters
a side or more. With fewer raters, for exact, discrete, equivalence and adjusted tests, for intervals of all pairs at
once, and for widths of an agreement, which two reliabilities share, only the cautious side is bound: at least 92 %, at
most 7 %. Behind ± stands the simulation's own standard error. A row has 2,000 studies; one with fewer says how long a
study takes, 'of' how many define the figure.

"""
LAST = """
## What could not be checked

Figures that the methods name for data that are not among the shared ones, so that nothing was computed from them:
DialSummEval (fluency: rho .075 over 1,400 items, .69 over 14 systems; coherence: an interval of -1.37 to -0.24),
SummEval, and AGH TV (knees at 3, 7, 24 and 48 on one page). Tests draw studies like these instead.

Crowd vs lab's intervals from draws were simulated for up to 80 items, and its true scores for up to 100: of more, a
study takes 0.1 to 0.25 s. Level and analytic intervals of up to 200 items are in the table.
"""
ENOUGH = 2000
UNBOUND = {"misused test": "not what it is for", "power test": "power"}
"""Words for kinds that are held to nothing."""


@dataclass(frozen=True)
class Row:
    """What came of one figure in one design: covering or rejecting `hits` of the `studies` that define it."""

    figure: str
    design: str
    kind: Kind
    hits: int
    studies: int
    simulated: int
    seconds: float

    @property
    def share(self) -> float:
        return self.hits / self.studies

    @property
    def within(self) -> bool:
        low, high = LIMITS[self.kind]
        return low <= self.share <= high

    @property
    def said(self) -> Said | None:
        return said_of(self.figure, self.share)


def rows(experiments: tuple[Experiment, ...]) -> Iterator[Row]:
    """Of every experiment that has been run often enough, figure by figure."""
    counted = {page: stored(page) for page in {experiment.page for experiment in experiments}}
    for experiment in experiments:
        mine = counted[experiment.page].get(experiment.name, {})
        raters = ", raters fixed" if experiment.fixed_raters else ""
        for figure, kind in experiment.figures.items():
            hits, studies = mine.get(figure, [0, 0])
            if studies and BLOCK * mine["blocks"] >= FEWEST:
                yield Row(
                    figure,
                    experiment.design + raters,
                    kind,
                    hits,
                    studies,
                    BLOCK * mine["blocks"],
                    mine.get("seconds", 0.0),
                )


def as_markdown(experiments: tuple[Experiment, ...]) -> str:
    """The whole document."""
    told = list(rows(experiments))
    table = [
        "| figure | design | held to | nominal | measured | studies | within |",
        "|---|---|---|---|---|---|---|",
        *(_line(row) for row in told),
    ]
    return FIRST + _counts(told) + "\n".join(table) + "\n" + _sentences(told) + LAST + _never_run(experiments)


def _line(row: Row) -> str:
    share, (low, high) = row.share, LIMITS[row.kind]
    error = sqrt(max(share * (1 - share), 0.25 / row.studies) / row.studies)
    word = "covers" if row.kind.endswith("interval") else "rejects"
    held = UNBOUND[row.kind] if row.kind in UNBOUND else f"{word} {100 * low:.0f} to {100 * high:.0f} %"
    studies = str(row.studies) + (f" of {row.simulated}" if row.studies < row.simulated else "")
    if row.simulated < ENOUGH and row.seconds:
        studies += f", {row.seconds:.2g} s each"
    within = "yes" if row.within else "no, said" if row.said else "**no**"
    return (
        f"| {row.figure} | {row.design} | {held} | {100 * NOMINAL[row.kind]:.0f} % | "
        f"{100 * share:.1f} ± {100 * error:.1f} % | {studies} | {'–' if row.kind in UNBOUND else within} |"
    )


def _counts(told: list[Row]) -> str:
    misused = [row for row in told if row.kind == "misused test"]
    outside = [row for row in told if not row.within]
    said = [row for row in outside if row.said]
    few = sum(row.studies < FEWEST for row in told)
    within = len(told) - len(outside) - len(misused)
    whole = sum(row.simulated >= ENOUGH for row in told)
    return (
        f"{len(told)} rows: {within} within their limits, {len(said)} outside where the page says so,\n"
        f"{len(outside) - len(said)} outside without a word, {len(misused)} of tests asked what they are not for, as "
        f"the page says. {whole} rest on {ENOUGH:,} studies, {few} on fewer than {FEWEST}.\n\n"
    )


def _sentences(told: list[Row]) -> str:
    used = dict.fromkeys(
        row.said for row in told if row.said and (not row.within or row.kind == "misused test")
    )
    lines = ["", "## What pages say beside the figures that lie outside", ""]
    lines += [f"- {_named(one.figures)} (`{one.module}`): “… {one.words} …”" for one in used if one]
    return "\n".join(lines) + "\n"


def _never_run(experiments: tuple[Experiment, ...]) -> str:
    run = {one.name: stored(one.page).get(one.name, {}).get("blocks", 0) * BLOCK for one in experiments}
    waiting = [name for name, studies in run.items() if studies < FEWEST]
    return "" if not waiting else "\nNot simulated often enough yet: " + "; ".join(waiting) + ".\n"


def _named(figures: tuple[str, ...]) -> str:
    return figures[0] if len(figures) == 1 else f"{', '.join(figures[:-1])} and {figures[-1]}"
