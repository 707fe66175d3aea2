"""Where the variance of single ratings comes from, source by source."""

from collections import Counter

import pandas as pd

from analysis.variance.components import Components
from features.blocks import Finding
from features.plotting.numbers import count, share, share_with_interval
from features.study import Study
from features.tables import Shown
from features.verdicts import clear_if, uncertain
from features.words import Sentence, listed, of_many
from findings.assessors import variance as findings
from findings.assessors.variance_components import drawn, laid_out, without_intervals
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
    remarks = [one for of in found.values() for one in findings.remarks(of)]
    return Section(
        "variance",
        TITLE,
        findings=[_finding(found)],
        tables=[
            Table(
                "variance",
                ("Share of the variance of a single rating by source, with 95 % intervals.", {}),
                _table(found, len(study.groups) > 1),
                full=_full(found),
            )
        ],
        warnings=list({str(one): one for one in remarks}.values()),
        methods=[
            (
                "Components of the variance of single ratings by {methods}; intervals are generalised ones "
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
            "Those of {measure}{by} rest on all ratings of {items} drawn from {of} (seed {seed}).",
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
    """Which source holds most, and where."""
    largest = {key: max(of.shares().items(), key=lambda named: named[1].value) for key, of in found.items()}
    counted = Counter(name for name, _ in largest.values())
    name, times = counted.most_common(1)[0]
    shares = [e.value for source, e in largest.values() if source == name]
    values: dict[str, object] = {
        "source": findings.called(name),
        "times": of_many(times, "measures"),
        "all": len(found),
        "low": share(min(shares)),
        "high": share(max(shares)),
    }
    if len(found) == 1:
        ((of, (_, only)),) = zip(found.values(), largest.values(), strict=True)
        return clear_if(
            findings.largest_is_clear(of.shares()),
            "Most of the variance of a single rating is {source}: <b>{share}</b>.",
            {**values, "share": share_with_interval(only)},
        )
    return uncertain(
        "The largest part of the variance of a single rating is <b>{source}</b> on {times} of {all} "
        "({low} to {high} of it).",
        values,
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
