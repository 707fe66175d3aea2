"""Open a data set as a study, as the pages do: a group as the candidate, and what it is compared with."""

from collections.abc import Sequence
from dataclasses import replace

from analysis.values.estimate import InputError
from data.dataset import Dataset, Merge
from data.errors import listed
from features.results import merge_of, query
from features.study import ALL_GROUPS, Study, usual_roles

NO_REFERENCE = "none"


def open_study(
    dataset: Dataset,
    *,
    key: str = "",
    candidate: str | None = None,
    reference: str | None = None,
    measures: Sequence[str] = (),
    merge: Merge = "mean",
) -> Study:
    """Return the study of a data set, or of a view that filters rows or excludes raters.

    Parameters
    ----------
    dataset : saved data set, or a view of it (`Dataset.keeping`, `Dataset.leaving_out`)
    key : reader's key, or the key of a sample
    candidate : group whose ratings are looked at; by default the first that is no laboratory
    reference : a group, a numeric column of the items, or "none" for split halves; by default the laboratory
    measures : measures to look at, all by default
    merge : value that stands for a rater's repeats of an item in figures that compare raters

    Raises
    ------
    InputError
        where the data set does not have what is asked for.
    """
    whole = replace(dataset, without=())
    if dataset.kind != "ratings":
        groups = _groups(dataset) if dataset.kind == "choices" else ()
        return Study(
            key,
            whole,
            dataset,
            groups,
            (),
            candidate or ALL_GROUPS,
            None,
            None,
            (),
            merge=merge_of(dataset, merge),
        )
    groups, there = _groups(whole), tuple(dict.fromkeys(query(whole, "cells")["measure"].tolist()))
    columns = [column.name for column in dataset.columns if column.role == "item number"]
    references = [*groups, *columns, NO_REFERENCE]
    candidate_at, reference_at = usual_roles(groups)
    check_known("measures", measures, there)
    check_known("reference", [] if reference is None else [reference], references)
    check_known("candidate", [] if candidate is None else [candidate], groups)
    reference = references[reference_at] if reference is None else reference
    return Study(
        key=key,
        whole=whole,
        dataset=dataset,
        groups=groups,
        all_measures=there,
        candidate=groups[candidate_at] if candidate is None else candidate,
        reference=reference if reference in groups else None,
        reference_column=reference if reference in columns and reference not in groups else None,
        measures=tuple(measure for measure in there if not measures or measure in measures),
        merge=merge_of(dataset, merge),
    )


def check_known(what: str, asked: Sequence[str], there: Sequence[str]) -> None:
    """Raise `InputError` where the data set lacks one of the names asked for."""
    lacking = [name for name in asked if name not in there]
    if lacking:
        raise InputError(
            f"`{what}`: the data set has no {lacking[0]!r}; it has {listed(list(there)[:20]) or 'none'}"
        )


def _groups(dataset: Dataset) -> tuple[str, ...]:
    return tuple(dict.fromkeys(query(dataset, "cells")["group"].tolist()))
