"""Sums per item and per rater of candidate and reference: what descriptions and comparisons are computed from."""

from typing import Any

from analysis.comparison.variance_components import ItemPairs, RaterPulls, pair_up
from features.results import LARGEST_BOOTSTRAP, key_of, query, ratings, read, result
from features.study import Study

Subset = tuple[str, str] | None
"""A rater attribute and the value to keep, or nothing."""


def item_pairs(study: Study, measure: str, subset: Subset = None) -> ItemPairs:
    """Return the sums per item of candidate and reference."""
    if study.reference_column is not None:
        return _against_column(study, measure, subset)[0]
    if study.reference is not None and not has_sums(study, subset) and _many_items(study, measure):
        return _both_sums(study, measure, subset)[0]
    return ItemPairs(**query(study.dataset, "item_pairs", **_asked(study, measure, subset)))


def candidate_pairs(study: Study, measure: str) -> ItemPairs:
    """Return the sums per item of the candidate alone; the reference's columns are empty."""
    return ItemPairs(**query(study.dataset, "item_pairs", measure=measure, candidate=study.candidate))


def column_values(study: Study, column: str) -> dict[Any, float]:
    """Return a numeric column of the items, value by item."""
    rows = query(study.dataset, "item_numbers", column=column)
    return dict(zip(rows["item"].tolist(), rows["value"].tolist(), strict=True))


def _against_column(study: Study, measure: str, subset: Subset) -> tuple[ItemPairs, RaterPulls]:
    assert study.reference_column is not None
    values = column_values(study, study.reference_column)
    candidate = ratings(study.dataset, measure, study.candidate, **selection_of(subset))
    return result(
        key_of(study.dataset, "pairs with column", measure, study.candidate, study.reference_column, subset),
        lambda: pair_up(candidate, values),
    )


def rater_pulls(study: Study, measure: str, subset: Subset) -> RaterPulls:
    """Return the sums per rater that the variance of a difference of levels needs."""
    if study.reference_column is not None:
        return _against_column(study, measure, subset)[1]
    if not has_sums(study, subset):
        return _both_sums(study, measure, subset)[1]
    key = key_of(study.dataset, "pulls", measure, study.candidate, study.reference)
    return result(
        key, lambda: _tables(read(study.dataset, "comparison", **_asked(study, measure, subset)))[1]
    )


def _both_sums(study: Study, measure: str, subset: Subset) -> tuple[ItemPairs, RaterPulls]:
    """Return sums per item and per rater from one query: on millions of rows that is quicker than two."""
    return _tables(query(study.dataset, "comparison", **_asked(study, measure, subset)))


def _tables(rows: dict[str, Any]) -> tuple[ItemPairs, RaterPulls]:
    pairs, pulls = (
        {name: rows[name] for name in table.__dataclass_fields__} for table in (ItemPairs, RaterPulls)
    )
    return ItemPairs(**pairs), RaterPulls(**pulls)


def has_sums(study: Study, subset: Subset) -> bool:
    """Return True where sums per item are stored, which are then quicker to read without those per rater."""
    return subset is None and study.dataset.has_sums


def is_large(study: Study, measure: str, subset: Subset) -> bool:
    """Return True where more items are shared than single ratings are read for."""
    if not _many_items(study, measure):
        return False
    return len(item_pairs(study, measure, subset).shared().item) > LARGEST_BOOTSTRAP


def _many_items(study: Study, measure: str) -> bool:
    cells = query(study.dataset, "cells")
    here = (cells["measure"] == measure) & (cells["group"] == study.candidate)
    return bool(cells["items"][here].sum() > LARGEST_BOOTSTRAP)


def _asked(study: Study, measure: str, subset: Subset) -> dict[str, Any]:
    asked = {"measure": measure, "candidate": study.candidate, **selection_of(subset)}
    return asked | ({"reference": study.reference} if study.reference else {})


def selection_of(subset: Subset) -> dict[str, str]:
    """Return the parameters of a query that keeps the subset."""
    return {} if subset is None else {"attribute": subset[0], "value": subset[1]}
