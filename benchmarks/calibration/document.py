"""docs/calibration.md, a summary per figure with the known exceptions, and docs/calibration.csv, a line per design."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import sqrt

from benchmarks.calibration.exceptions import KnownException, find_exception
from benchmarks.calibration.figures import FIGURES
from benchmarks.calibration.simulation import (
    BLOCK,
    LIMITS,
    MAX_STUDIES,
    MIN_STUDIES,
    QUICK,
    Kind,
    Simulation,
    load_results,
)

INTRODUCTION = """# Do intervals cover, and do tests reject, as often as they say?

Simulated studies of known truth count how often a 95% interval covers it, and how often a test at .05 rejects a null
that is true. Only what a page shows without a warning counts. Limits:

- intervals cover 92 to 98%,
- tests reject 3 to 7%; exact, discrete and equivalence tests, and those with fewer than 6 raters on a side, 1 to 7%,
- some pair of equal systems is called different, or one of equally good raters is named, in 1 to 7% of studies,
- a finding claims what is not so (raters at random "agree", an unrelated reference has a "knee") in at most 7%.

The tables count designs that are small (at most 20 items, topics or systems, or 5 raters), that have skewed scores, a
ceiling or labels, and in which raters are unequal or rate only some of the items; a design may be several of these.

A share is within its limits if they are not further away than two standard errors of the simulation. Every design has
2,000 studies, or 400 at least, as [counted below](#designs-with-fewer-studies). They are listed in
[calibration.csv](calibration.csv). Everything outside the limits is in the list of [exceptions](#exceptions), with the
reason and what its page says.

Made by `python -m benchmarks calibration`, with a fixed seed for each design. Results belong to the name of a design:
moving or renaming a module of `analysis` keeps them, a change of what is computed has to delete them. Designs that
resample real ratings need a folder of data that is not part of the project, and are skipped without it.

"""
APPENDIX = """
## What could not be checked

DialSummEval, SummEval and AGH TV, for which the methods name figures, are not among the data. Designs with the same
shape replace them. Intervals by bootstrap of Crowd vs lab were simulated for up to 80 items, true scores for up to 100.

Raters who rate many or few items (Zipf loads, as the design says) are not in rows of every figure. Missing are
agreement coefficients for raters like these, scores of systems and exclusions, values of an attribute, metrics,
comprehension and relevance. Corrected scores and pass rates have no single raters, and mean pairwise kappa needs raters
of all items.

## Check values with an error of simulation

Planned votes per label: the majority of 3, 5 and 9 of the items' own votes is right on 73.0, 74.4 and 75.1% of
`choice4_website_gold.csv`, counted over every choice of so many votes. The check values 71.5, 73.8 and 75.0% are of one
random choice per item, whose standard deviation is 1.5, 1.2 and 0.7 percentage points: they agree.
"""
UNLIMITED_KINDS = ("power test", "misused test")
"""Kinds without limits."""
COLUMNS = (
    "page", "figure", "design", "kind", "lowest", "highest", "share", "standard error", "counted", "studies",
    "seconds per study", "within",
)  # fmt: skip
SMALL = (
    r"\b([2-9]|1\d|20) (items|topics|systems|authors|subjects|surrogates|sets|stories|events)\b"
    r"|\b(all|all of|against|, )? ?[2-5] (raters|workers|subjects)\b"
)
SKEWED = r"ceiling|highest|real |right on|skew|tails|mostly right|most is found|levels|labels|shares? 0\.[01]|options"
UNEQUAL = (
    r"Zipf|[Uu]nequal|log-SD [^0]*0?\.[1-9]|\d of \d+ (raters|workers)|one of \d|by one|odd|varies|missing"
)
KINDS_OF_DESIGNS = tuple(re.compile(words) for words in (SMALL, SKEWED, UNEQUAL))
PAGES = {figure: page for page, figures in FIGURES.items() for figure in figures}


@dataclass(frozen=True)
class Row:
    """Results of one figure in one design: `hits` of `counted` results cover or reject, in `studies` studies.

    In other studies the figure is undefined or has a warning.
    """

    figure: str
    design: str
    kind: Kind
    hits: int
    counted: int
    studies: int
    seconds: float

    @property
    def share(self) -> float:
        """Share of intervals that cover or of tests that reject."""
        return self.hits / self.counted

    @property
    def error(self) -> float:
        """Standard error of the share, not less than that of half a study away from 0 or 1."""
        part = min(max(self.share, 0.5 / self.counted), 1 - 0.5 / self.counted)
        return sqrt(part * (1 - part) / self.counted)

    @property
    def is_within(self) -> bool:
        """True if the share is within two standard errors of its limits."""
        low, high = LIMITS[self.kind]
        return low - 2 * self.error <= self.share <= high + 2 * self.error

    @property
    def distance(self) -> float:
        """Distance of the share from the middle of its limits, relative to their half-width."""
        low, high = LIMITS[self.kind]
        return abs(self.share - (low + high) / 2) / ((high - low) / 2)

    @property
    def exception(self) -> KnownException | None:
        """Known exception for this row, None if there is none."""
        return find_exception(self.figure, self.design, self.share)

    @property
    def verdict(self) -> str:
        """Verdict in the table: within the limits, an exception, or neither."""
        if self.kind in UNLIMITED_KINDS:
            return "no limits"
        return "yes" if self.is_within else "exception" if self.exception else "no"


def rows(simulations: Iterable[Simulation]) -> Iterator[Row]:
    """Yield the rows of every simulation that has enough studies, figure by figure."""
    all_simulations = tuple(simulations)
    results = {page: load_results(page) for page in {one.page for one in all_simulations}}
    for simulation in all_simulations:
        stored = results[simulation.page].get(simulation.name, {})
        scope = ", raters fixed" if simulation.fixed_raters else ""
        for figure, kind in simulation.figures.items():
            hits, studied = stored.get(figure, [0, 0])
            studies = BLOCK * stored.get("blocks", 0)
            if studied and studies >= MIN_STUDIES:
                yield Row(
                    figure,
                    simulation.design + scope,
                    kind,
                    hits,
                    studied,
                    studies,
                    stored.get("seconds", 0.0),
                )


def as_csv(simulations: Iterable[Simulation]) -> str:
    """Return the table of all rows."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows(simulations):
        low, high = LIMITS[row.kind]
        limits = ("", "") if row.kind in UNLIMITED_KINDS else (low, high)
        share = (f"{row.share:.4f}", f"{row.error:.4f}")
        size = (row.counted, row.studies, row.seconds or "")
        writer.writerow(
            (PAGES[row.figure], row.figure, row.design, row.kind, *limits, *share, *size, row.verdict)
        )
    return text.getvalue()


def as_markdown(simulations: tuple[Simulation, ...]) -> str:
    """Return the summary."""
    all_rows = list(rows(simulations))
    return (
        INTRODUCTION
        + _count_rows(all_rows)
        + _summary_tables(all_rows)
        + _exceptions(all_rows)
        + _list_designs_with_fewer_studies(simulations)
        + APPENDIX
        + _list_skipped(simulations)
    )


def _count_rows(all_rows: list[Row]) -> str:
    bound = [row for row in all_rows if row.kind not in UNLIMITED_KINDS]
    within = sum(row.is_within for row in bound)
    exceptions = sum(row.verdict == "exception" for row in bound)
    with_fewer_studies = sum(row.studies < MAX_STUDIES for row in all_rows)
    return (
        f"**{len(bound):,} rows have limits: {within:,} are within them, {exceptions:,} are exceptions, "
        f"{len(bound) - within - exceptions:,} are neither.** "
        f"{with_fewer_studies:,} rows have fewer than {MAX_STUDIES:,} studies.\n"
    )


def _summary_tables(all_rows: list[Row]) -> str:
    lines = []
    for page, figures in FIGURES.items():
        lines += [
            "",
            f"## {page}",
            "",
            "| figure | designs | small, skewed, unequal | within | range | worst |",
        ]
        lines += ["|---|---|---|---|---|---|"]
        for figure in figures:
            for kinds in (("interval",), tuple(kind for kind in LIMITS if kind != "interval")):
                figure_rows = [row for row in all_rows if row.figure == figure and row.kind in kinds]
                if figure_rows:
                    lines.append(_summary_line(figure, figure_rows))
    return "\n".join(lines) + "\n"


def _summary_line(figure: str, figure_rows: list[Row]) -> str:
    """Return the line of a figure: the range of its rows, and the row furthest from the middle of its limits."""
    bound = [row for row in figure_rows if row.kind not in UNLIMITED_KINDS]
    shares = [row.share for row in figure_rows]
    verb = "covers" if figure_rows[0].kind == "interval" else "rejects"
    low, high = min(shares), max(shares)
    share_range = f"{100 * low:.1f}%" if low == high else f"{100 * low:.1f} to {100 * high:.1f}%"
    if not bound:
        return f"| {figure} | {len(figure_rows)} | {_design_kinds(figure_rows)} | no limits | {verb} {share_range} | |"
    worst = max(bound, key=lambda row: row.distance)
    return (
        f"| {figure} | {len(figure_rows)} | {_design_kinds(figure_rows)} | "
        f"{sum(row.is_within for row in bound)} of {len(bound)} | "
        f"{verb} {share_range} | "
        f"{100 * worst.share:.1f}%: {worst.design} |"
    )


def _design_kinds(figure_rows: list[Row]) -> str:
    """Return the numbers of designs that are small, have skewed scores, and have unequal raters or loads."""
    return ", ".join(
        str(sum(bool(kind.search(row.design)) for row in figure_rows)) for kind in KINDS_OF_DESIGNS
    )


def _exceptions(all_rows: list[Row]) -> str:
    outside: dict[KnownException | None, list[Row]] = {}
    for row in all_rows:
        if not row.is_within:
            outside.setdefault(row.exception, []).append(row)
    lines = ["", "## Exceptions", ""]
    for exception, exception_rows in outside.items():
        if exception is None:
            continue
        shares = [100 * row.share for row in exception_rows]
        figures = list(dict.fromkeys(row.figure for row in exception_rows))
        lines += [
            f"- **{'; '.join(figures)}**: {min(shares):.1f} to {max(shares):.1f}% in {len(exception_rows)} "
            f"{'design' if len(exception_rows) == 1 else 'designs'}. {exception.reason} "
            f"Its page (`{exception.module}`) or [computation.md](computation.md) says: "
            f"“… {exception.words} …”"
        ]
    open_rows = outside.get(None, [])
    if open_rows:
        lines += ["", "Outside the limits without a warning so far:", ""]
        lines += [f"- {row.figure}, {100 * row.share:.1f}%: {row.design}" for row in open_rows]
    return "\n".join(lines) + "\n"


def _list_designs_with_fewer_studies(simulations: Iterable[Simulation]) -> str:
    """Return the number of designs with fewer studies by page: slow ones, and others."""
    slow, quick = dict[str, list[int]](), dict[str, list[int]]()
    for simulation in simulations:
        studies = BLOCK * load_results(simulation.page).get(simulation.name, {}).get("blocks", 0)
        if MIN_STUDIES <= studies < MAX_STUDIES:
            studies_by_page = slow if simulation.seconds > QUICK else quick
            studies_by_page.setdefault(PAGES[next(iter(simulation.figures))], []).append(studies)
    lines = [
        "",
        "## Designs with fewer studies",
        "",
        f"A share of 95% has a standard error of 1.1 percentage points with {MIN_STUDIES} studies, of 0.5 with "
        f"{MAX_STUDIES:,}.",
    ]
    for reason, studies_by_page in (
        (f"A study takes more than {QUICK:g} seconds of processor time", slow),
        (f"Quick, but not simulated {MAX_STUDIES:,} times yet", quick),
    ):
        if studies_by_page:
            pages = (
                f"{page} {len(numbers)} ({_format_range(numbers)} studies)"
                for page, numbers in studies_by_page.items()
            )
            lines += ["", f"- {reason}: {', '.join(pages)}."]
    return "\n".join(lines) + "\n"


def _format_range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _list_skipped(simulations: Iterable[Simulation]) -> str:
    skipped = [
        simulation
        for simulation in simulations
        if load_results(simulation.page).get(simulation.name, {}).get("blocks", 0) * BLOCK < MIN_STUDIES
    ]
    if not skipped:
        return ""
    lines = ["", f"## Not simulated {MIN_STUDIES} times yet", ""]
    by_page: dict[str, list[str]] = {}
    for simulation in skipped:
        by_page.setdefault(simulation.page, []).append(simulation.name)
    return "\n".join([*lines, *(f"- {page}: {'; '.join(names)}" for page, names in by_page.items())]) + "\n"
