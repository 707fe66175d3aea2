"""Attributes of raters, such as age or country, as cached results: who the raters are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.attributes import (
    FEWEST_RATERS,
    MOST_VALUES,
    MOST_WORK,
    NumberSummary,
    ValueComparison,
    ValueCurve,
    ValueDifference,
    as_quantity,
    compare_estimates,
    compare_values,
    quartile_bands,
    summarize_numbers,
    value_curve,
)
from analysis.assessors.typical_rater import FEWEST_UNITS
from analysis.repetitions.repetition import RepetitionSpec
from analysis.values.ratings import Ratings
from features.assessments import names
from features.plotting.theme import THREE_DIGITS, NumberFormat, decimal
from features.raters import rater_results
from features.repetitions.ratings_results import candidate_ratings, reference_values
from features.study import ALL_GROUPS, Study, difference_writer, key_of, query, result, score_writer
from features.words import attribute_name

UNKNOWN = "not known"
FEWEST_ITEMS = 10
"""Items of the reference from which raters of a value have a curve."""
CURVES = RepetitionSpec(shuffles=50)
CORRELATIONS = (-1.0, 1.0)
LEVEL, AGREEMENT = "Mean score", "r with the others"
"""Figures of raters that are compared between the values of an attribute."""


@dataclass(frozen=True)
class AttributesSpec:
    """Attribute whose values are compared, "" for the first, and the measure they are compared on, "" for the first."""

    attribute: str = ""
    measure: str = ""


@dataclass(frozen=True, eq=False)
class Attribute:
    """One attribute of n raters, a rater once in each group.

    `raters` (n,) codes, `groups`, `values` (n,) as stored, "" where not known, `ratings` (n,); `bands` (n,) the values,
    of a quantity those between its quartiles, whose `numbers` (n,) are known. `changing` raters have several values;
    their most frequent one counts.
    """

    name: str
    raters: NDArray[np.int64]
    groups: NDArray[np.str_]
    values: NDArray[np.str_]
    ratings: NDArray[np.int64]
    bands: NDArray[np.str_]
    numbers: NDArray[np.float64] | None
    changing: int

    @property
    def called(self) -> str:
        return attribute_name(self.name)

    @property
    def shares(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Raters and ratings by group and value, the most raters first, unknown ones last."""
        found: dict[tuple[str, str], tuple[int, int]] = {}
        for group, band, ratings in zip(self.groups.tolist(), self.bands.tolist(), self.ratings, strict=True):
            raters, given = found.get((group, band), (0, 0))
            found[group, band] = raters + 1, given + int(ratings)
        order = list(dict.fromkeys(self.groups.tolist()))
        place = {band: at for at, band in enumerate(self.ordered)}
        return dict(sorted(found.items(), key=lambda one: (order.index(one[0][0]), place[one[0][1]])))

    @property
    def ordered(self) -> list[str]:
        """The values in order: of quantities the lowest first, else the most raters first; unknown ones last."""
        names, first, number = np.unique(self.bands, return_index=True, return_counts=True)
        keys = self.numbers[first] if self.numbers is not None else -number.astype(np.float64)
        keys = np.where(names == "", np.inf, keys)
        return [str(names[at]) for at in np.argsort(keys, kind="stable")]

    def summaries(self) -> dict[str, NumberSummary]:
        """Summary of a quantity by group, of groups in which it is known."""
        if self.numbers is None:
            return {}
        found = {}
        for group in dict.fromkeys(self.groups.tolist()):
            inside = self.numbers[self.groups == group]
            if not np.isnan(inside).all():
                found[group] = summarize_numbers(inside)
        return found


@dataclass(frozen=True, eq=False)
class AttributesFound:
    """All attributes of the raters, and how those of the candidate group with each of the chosen one's `values` rate.

    `compared` are figures of each rater by name, compared between these values on one measure.
    """

    attributes: Sequence[Attribute]
    chosen: Attribute
    measure: str
    values: Sequence[str]
    ratings: Sequence[int]
    compared: Mapping[str, ValueComparison]
    curves: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Correlation with the reference after 1 … m ratings per item (m,), by value."""
    at: int = 0
    """Ratings per item at which the curves are compared, 0 for none."""
    write_score: NumberFormat = decimal
    """Format of mean scores."""
    write_difference: NumberFormat = THREE_DIGITS
    """Format of differences of mean scores."""

    def writer_of(self, figure: str) -> NumberFormat:
        return self.write_score if figure == LEVEL else decimal

    def difference_writer_of(self, figure: str) -> NumberFormat:
        return self.write_difference if figure == LEVEL else decimal

    @property
    def curve_name(self) -> str:
        return f"ρ after {self.at} rating{'' if self.at == 1 else 's'}"

    @property
    def pairs(self) -> list[tuple[str, str, str, ValueDifference]]:
        """Figure, higher value, lower value and difference of each pair of values, the smallest p first."""
        rows = []
        for figure, of in self.compared.items():
            for one, other in of.pairs:
                high, low = (one, other) if of.pairs[one, other].difference.value >= 0 else (other, one)
                rows.append((figure, self.values[high], self.values[low], of.difference(high, low)))
        return sorted(rows, key=lambda row: row[3].p)


def attributes_of(study: Study) -> tuple[Attribute, ...]:
    """Return the attributes of all raters that the data set holds, of everyone."""

    def compute() -> tuple[Attribute, ...]:
        rows = query(study.whole, "attributes_of_raters")
        return tuple(
            _attribute(name, {key: of[rows["attribute"] == place] for key, of in rows.items()})
            for place, name in enumerate(study.whole.named("rater attribute"))
        )

    return result(key_of(study.whole, "attributes of raters"), compute)


def _attribute(name: str, rows: Mapping[str, NDArray[Any]]) -> Attribute:
    groups, group = np.unique(rows["group"], return_inverse=True)
    key = group * (int(rows["rater"].max(initial=0)) + 1) + rows["rater"]
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    values, ratings = rows["value"][first], np.bincount(place, rows["ratings"], len(first)).astype(np.int64)
    several = np.bincount(place[rows["value"] != ""], minlength=len(first)) > 1
    numbers = as_quantity(values.tolist())
    bands = values if numbers is None else np.array(quartile_bands(numbers))
    return Attribute(
        name, rows["rater"][first], groups[group[first]], values, ratings, bands, numbers, int(several.sum())
    )


def raters_with(study: Study, attribute: str, values: Sequence[str]) -> NDArray[np.int64]:
    """Return the codes of the candidate's raters with one of the values, bands or `UNKNOWN` of an attribute."""
    asked = {"" if value == UNKNOWN else value for value in values}
    for one in attributes_of(study.unfiltered):
        if one.called == attribute:
            inside = (one.groups == study.candidate) | (study.candidate == ALL_GROUPS)
            return np.unique(one.raters[inside & np.isin(one.bands, list(asked))])
    return np.zeros(0, dtype=np.int64)


def describe_raters(study: Study, spec: AttributesSpec) -> AttributesFound:
    """Return who the raters are, and how those with different values of an attribute rate."""
    every = attributes_of(study)
    chosen = next((one for one in every if one.name == spec.attribute), every[0])
    measure = spec.measure or study.measures[0]
    inside = chosen.groups == study.candidate
    counts = Counter(chosen.bands[inside].tolist())
    values = [value for value in chosen.ordered if value and counts[value]][:MOST_VALUES]

    def compute() -> dict[str, ValueComparison]:
        code = np.full(len(names(study, "rater")), -1)
        place = {value: at for at, value in enumerate(values)}
        code[chosen.raters[inside]] = [place.get(band, -1) for band in chosen.bands[inside].tolist()]
        severity, mean = rater_results.severity_values(study, measure)
        others = rater_results.compute_agreement_with_others(study, measure)
        agreement = np.full(len(code), np.nan)
        agreement[others.raters] = np.where(others.items >= FEWEST_UNITS, others.correlation, np.nan)
        return {
            LEVEL: compare_values(mean + severity, code, len(values)),
            AGREEMENT: compare_values(agreement, code, len(values), limits=CORRELATIONS),
        }

    compared = result(rater_results.key(study, "values of an attribute", measure, chosen.name), compute)
    given = [int(chosen.ratings[inside & (chosen.bands == value)].sum()) for value in values]
    found = AttributesFound(
        every,
        chosen,
        measure,
        values,
        given,
        compared,
        write_score=score_writer(study, measure),
        write_difference=difference_writer(study, measure),
    )
    if not study.comparable:
        return found
    of = study.reference, study.reference_column
    key = rater_results.key(study, "curves by an attribute", measure, chosen.name, of)
    curves, of_each, at = result(key, partial(_curves, study.everyone, chosen, values, measure))
    if at == 0:
        return found
    found = replace(found, curves=curves, at=at)
    return replace(
        found, compared={**compared, found.curve_name: compare_estimates(of_each, limits=CORRELATIONS)}
    )


def _curves(
    study: Study, chosen: Attribute, values: Sequence[str], measure: str
) -> tuple[dict[str, NDArray[np.float64]], list[tuple[float, float, int]], int]:
    """Return the curves, what `compare_estimates` takes, and at how many ratings: one less than the shortest has."""
    once = study.between_raters
    ratings, reference = candidate_ratings(once, measure), reference_values(study, measure) or {}
    found: dict[str, ValueCurve] = {}
    raters: dict[str, int] = {}
    for value in values:
        inside = (chosen.groups == study.candidate) & (chosen.bands == value)
        here = np.isin(ratings.rater, chosen.raters[inside])
        own = Ratings(ratings.item[here], ratings.rater[here], ratings.score[here])
        known = sum(item in reference for item in np.unique(own.item).tolist())
        raters[value] = len(np.unique(own.rater))
        is_small = raters[value] * known <= MOST_WORK
        if raters[value] >= FEWEST_RATERS and known >= FEWEST_ITEMS and is_small:
            found[value] = value_curve(own, reference, CURVES)
    ends = sorted(len(one.curve) for one in found.values())
    if sum(end > 1 for end in ends) > 1:  # a value with one rating per item would leave only that to compare
        ends = [end for end in ends if end > 1]
    at = max(ends[0] - 1, 1) if ends else 0
    of_each = [
        (float(found[value].curve[at - 1]), found[value].variance_at(at), raters[value])
        if value in found and len(found[value].curve) >= at
        else (np.nan, np.nan, 0)
        for value in values
    ]
    return {value: one.curve for value, one in found.items()}, of_each, at
