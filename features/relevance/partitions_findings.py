"""Verdict on a metric over random partitions of documents into groups, and the table of all group sizes."""

from collections.abc import Iterator
from functools import partial
from math import isnan

from analysis.relevance.partitions import Partition
from analysis.values.estimate import Estimate
from features.blocks import Finding, Note, Table, Text, Warning
from features.evidence import capitalized, confidence_interval
from features.plotting.numbers import count, decimal, decimal_with_interval, share
from features.relevance.metrics_results import Partitions
from features.tables import Column, estimate_columns, table_of
from features.verdicts import clear, excludes, not_enough_data, uncertain
from features.words import number_repeats

MOST_NAMED = 3
"""Further surrogates whose correlation the evidence names."""
_EXACT, _TENTH = partial(decimal, digits=3), partial(share, digits=1)


def _defined(found: Partitions) -> list[tuple[Partition, Estimate]]:
    """Return the surrogates with a correlation, and its interval as far as it is known, the highest first."""
    means = found.chosen.means if found.chosen is not None else []
    known = [(one, Estimate(one.mean, mean.low, mean.high)) for one, mean in means if not isnan(one.mean)]
    return sorted(known, key=lambda each: -each[1].value)


def partitions_finding(found: Partitions) -> Finding:
    """Return the surrogate on which groups' agreement correlates most with the metric, or that none clearly does."""
    spec, known = found.spec, _defined(found)
    metric = {"metric": capitalized(spec.metric)}
    groups = f"groups of {spec.size} documents" if spec.size > 1 else "document by document"
    if not known:
        partitions = found.chosen.study.partitions if found.chosen is not None else ()
        why = "; ".join(dict.fromkeys(one.reason for one in partitions)) or "there are no summaries"
        headline = "Not enough data to correlate {metric} with agreement over groups of {size}."
        values = {"metric": spec.metric, "size": count(spec.size)}
        return not_enough_data(headline, values, capitalized(why), spec.side)

    def told(one: Partition, mean: Estimate) -> str:
        return f"{found.main.surrogates.names[one.surrogate]} {decimal_with_interval(mean)}"

    differ = [each for each in known if excludes(each[1])]
    if not differ:
        names = [told(*each) for each in known[: MOST_NAMED + 1]]
        headline = "{metric} does not clearly correlate with agreement on any surrogate."
        return uncertain(headline, metric, f"r: {', '.join(names)}", groups, spec.side)
    first, mean = max(differ, key=lambda each: abs(each[1].value))
    others = [told(*each) for each in known if each[0] is not first][:MOST_NAMED]
    against = "negatively " if mean.value < 0 else ""
    return clear(
        f"{{metric}} correlates {against}with agreement on {{name}}, r = {{r}}.",
        {**metric, "name": found.main.surrogates.names[first.surrogate], "r": decimal(mean.value)},
        confidence_interval(mean),
        groups,
        spec.side,
        f"others: {', '.join(others)}" if others else "",
    )


def partitions_notes(found: Partitions) -> Iterator[Note]:
    """Yield what the outline is, and what it is not."""
    if _defined(found):
        text = (
            "The outline shows {n} random partitions; its width, the SD over partitions, is no standard error: raters "
            "and documents are the same in all of them. The whiskers are the 95% CI over raters and documents."
        )
        yield Note((text, {"n": count(found.spec.draws)}))


def partitions_warnings(found: Partitions) -> Iterator[Warning]:
    """Yield what fills no group, and what is undefined."""
    partitions = found.chosen.study.partitions if found.chosen is not None else ()
    told = list[Text]()
    for one in partitions:
        values = {"name": found.main.surrogates.names[one.surrogate], "why": one.reason}
        if isnan(one.mean):
            if _defined(found):
                told.append(("{name}: undefined, since {why}.", values))
            continue
        if one.undefined:
            text = "{name}: {share} of the partitions have no correlation, since {why}."
            told.append((text, {**values, "share": _TENTH(one.undefined)}))
        if one.left_over:
            text = "{name}: {n} of {of} documents fill no group, other ones in each partition."
            told.append((text, {**values, "n": count(one.left_over), "of": count(one.documents)}))
    yield from map(Warning, number_repeats(told))


def partitions_table(found: Partitions) -> Table:
    """Return Table 10 of the paper, with the interval that its SD is not."""
    rows = sorted(
        (each for sized in found.sizes for each in sized.means),
        key=lambda each: (each[0].surrogate, each[0].group_size),
    )
    of = [one for one, _ in rows]
    means = [Estimate(one.mean, mean.low, mean.high) for one, mean in rows]
    between = ["–" if isnan(one.low) else f"{_EXACT(one.low)} to {_EXACT(one.high)}" for one in of]
    return table_of(
        "partitions",
        "Correlation over random partitions by surrogate and group size.",
        [
            Column("Surrogate", found.main.surrogates.names_of([one.surrogate for one in of])),
            Column("Group size", [one.group_size for one in of], count),
            Column("Groups", [one.groups for one in of], count),
            *estimate_columns("Mean r", means, _EXACT),
            Column("SD over partitions", [one.sd for one in of], _EXACT),
            Column("5th to 95th percentile", between, None, False),
            Column("Largest group rate", [one.largest_rate for one in of], _TENTH, False),
            Column("Smallest group rate", [one.smallest_rate for one in of], _TENTH, False),
            Column("Left over", [one.left_over for one in of], count, False),
        ],
    )
