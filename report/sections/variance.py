"""Where the variance of single ratings comes from, source by source."""

from collections import Counter

import pandas as pd

from analysis.variance.components import Components
from features.blocks import Finding, Status
from features.plotting.numbers import count, share, share_with_interval
from features.raters import variance_findings as findings
from features.raters.variance_results import drawn, laid_out, without_intervals
from features.study import Study
from features.tables import Shown
from features.verdicts import evidence
from features.words import Sentence, listed, of_many
from report.parts.asked import Asked
from report.parts.model import Section, Table, given
from report.parts.opening import of_each_group

TITLE = "Where the variance comes from"


def section(study: Study, asked: Asked) -> Section | None:
    """Shares of each source per measure and group; None where they cannot be told."""
    found: dict[tuple[str, str], Components] = {}
    for each in of_each_group(study, asked):
        for measure in each.measures:
            made = laid_out(each, measure)
            closed = given(without_intervals(each, measure, made))
            if closed.reason or closed.shares() == {}:
                continue
            found[each.candidate, measure] = given(drawn(each, measure, closed, asked.bootstrap(), made))
    if not found:
        return None
    remarks = [one.text for of in found.values() for one in findings.variance_warnings(of)]
    return Section(
        "variance",
        TITLE,
        findings=[_finding(found)],
        tables=[
            Table(
                "variance",
                ("Share of the variance of a single rating by source, with 95% intervals.", {}),
                _table(found, len(study.groups) > 1),
                full=_full(found),
            )
        ],
        warnings=list({str(one): one for one in remarks}.values()),
        methods=[
            (
                "Components of the variance of single ratings by {methods}; the share of items, where there are only "
                "items and raters, has a jackknife interval over both (Arvesen 1969), others generalized ones "
                "(Satterthwaite's degrees of freedom of each mean square, {draws} draws).",
                {
                    "methods": listed(sorted({_METHODS.get(of.method, of.method) for of in found.values()})),
                    "draws": asked.bootstrap().draws,
                },
            ),
            *_of_items(found, len(study.groups) > 1),
        ],
        cited=["brennan2001", "searle1992"],
    )


def _of_items(found: dict[tuple[str, str], Components], several: bool) -> list[Sentence]:
    """Which ratings were taken, where they are those of some items."""
    return [
        (
            "Those of {measure}{by} are based on all ratings of {items} drawn from {of} (seed {seed}).",
            {
                "measure": measure,
                "by": f" by {group}" if several else "",
                "items": of_many(of.sample.items, "items"),
                "of": count(of.sample.of),
                "seed": of.sample.seed,
            },
        )
        for (group, measure), of in found.items()
        if of.sample is not None
    ]


_METHODS = {"REML": "restricted maximum likelihood (Searle, Casella and McCulloch 1992)"}


def _finding(found: dict[tuple[str, str], Components]) -> Finding:
    """Return which source is largest, and on how many measures."""
    if len(found) == 1:
        (((_, measure), only),) = found.items()
        return findings.components_finding(only, measure)
    largest = {key: max(of.shares().items(), key=lambda named: named[1].value) for key, of in found.items()}
    name, times = Counter(name for name, _ in largest.values()).most_common(1)[0]
    known = {key: of for key, of in found.items() if of.jackknife is None or not of.jackknife.reason}
    sure = [
        key
        for key, of in known.items()
        if findings.largest_is_clear(of.shares()) and not findings.has_few_topics(of)
    ]
    shares = [e.value for source, e in largest.values() if source == name]
    answered = Status.CLEAR if len(sure) == len(found) else Status.UNCERTAIN
    return Finding(
        (
            "The largest source of variance is {source} on {times} of {all} measures.",
            {"source": findings.called(name), "times": times, "all": len(found)},
        ),
        evidence(
            f"{share(min(shares))} to {share(max(shares))} of the variance of a single rating",
            f"clear on {count(len(sure))}",
        ),
        answered if known else Status.NOT_ENOUGH_DATA,
    )


def _table(found: dict[tuple[str, str], Components], several: bool) -> Shown:
    """A row per measure, a column per source."""
    sources = list(dict.fromkeys(name for of in found.values() for name in of.shares()))
    rows, texts = [], {name: list[str]() for name in sources}
    for (group, measure), of in found.items():
        shares = of.shares()
        rows.append(
            {
                **({"Group": group} if several else {}),
                "Measure": measure,
                **{findings.called(name): shares[name].value if name in shares else None for name in sources},
            }
        )
        for name in sources:
            texts[name].append(share_with_interval(shares[name]) if name in shares else "")
    return pd.DataFrame(rows), {findings.called(name): texts[name] for name in sources}


def _full(found: dict[tuple[str, str], Components]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Group": group,
                "Measure": measure,
                "Source": findings.called(name),
                "Levels": of.variances()[name].n,
                "Variance": of.variances()[name].value,
                "Variance low": of.variances()[name].low,
                "Variance high": of.variances()[name].high,
                "Share": e.value,
                "Share low": e.low,
                "Share high": e.high,
            }
            for (group, measure), of in found.items()
            for name, e in of.shares().items()
        ]
    )
