"""What stands in the address, the addresses of other views, and what a typed one may not hold: Streamlit turns a number
without end into an error of its own."""

import math
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from data.dataset import Dataset
from features.assessments import SAMPLE_PYRAMIDS, shares_items
from features.study import Study
from features.words import told_apart
from ui.store import store
from ui.visit import workspace
from ui.visit.study import key_of_own
from ui.words import told_in_words


def parameters() -> dict[str, str | list[str]]:
    """All that the address holds, for another page's."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def parts() -> list[tuple[str, str]]:
    """Return what stands in the address now, one value after the other."""
    return [(name, value) for name in st.query_params for value in st.query_params.get_all(name)]


def base_of(path: str) -> str:
    """Return where the app lives as the browser sees it, also behind a proxy or under a path; no slash at its end."""
    return (st.context.url or "").removesuffix(f"/{path}" if path else "").rstrip("/")


def address_of(base: str, path: str, parameters: list[tuple[str, str]]) -> str:
    """The whole address of a page and its controls."""
    return f"{base}/{path}?{urlencode(parameters)}"


def view_at(path: str) -> str:
    """Return what is kept of the address of this view: all but the key of the data set."""
    rest = urlencode([pair for pair in parts() if pair[0] != "d"])
    return f"/{path}?{rest}" if rest else f"/{path}"


def address_of_view(base: str, view: str, key: str) -> str:
    """The whole address of a kept view under a key of its data set."""
    path, _, rest = view.partition("?")
    return address_of(base, path.lstrip("/"), [("d", key), *parse_qsl(rest, keep_blank_values=True)])


def drop_endless_numbers() -> None:
    """Takes parameters such as `1e999` out of the address and starts again, their controls at their defaults."""
    endless = [name for name in st.query_params if _endless(st.query_params.get_all(name))]
    for name in endless:
        del st.query_params[name]
    if endless:
        st.rerun()


def _endless(values: list[str]) -> bool:
    for value in values:
        try:
            if math.isinf(float(value)):
                return True
        except ValueError:
            continue
    return False


METRICS, PYRAMID = "metrics", "pyramid"
"""Parameters of the address."""


def joinable_metrics(study: Study) -> dict[str, Dataset]:
    """Return data sets of metrics with items of the study, by key."""
    return _joinable(study.whole, "metrics", st.query_params.get(METRICS))


def joinable_contributors(study: Study, named: str | None = None) -> dict[str, Dataset]:
    """Return data sets of contributors with items of the study, by key: first the one whose key is `named`, or that
    the address names."""
    key = st.query_params.get(PYRAMID) if named is None else named
    return _joinable(study.whole, "contributors", key, SAMPLE_PYRAMIDS.get(study.key))


def contributors_of(study: Study, named: str | None = None) -> Dataset | None:
    """Return the contributors in use; None where there are none, or no texts to look for them in."""
    if not study.whole.has("text"):
        return None
    return next(iter(joinable_contributors(study, named).values()), None)


def keep_contributors_in_address(study: Study) -> None:
    """Put the contributors in use into the address: the same view elsewhere needs them."""
    joined = joinable_contributors(study)
    _keep_in_address(joined, next(iter(joined)), PYRAMID)


def joined_kinds(dataset: Dataset, key: str) -> frozenset[str]:
    """Return the kinds of data sets that can be joined to the open ratings, which is opened under a key."""
    built_in = SAMPLE_PYRAMIDS.get(key)
    kinds = {METRICS: ("metrics", None), PYRAMID: ("contributors", built_in)}
    return frozenset(
        kind
        for parameter, (kind, sample) in kinds.items()
        if _joinable(dataset, kind, st.query_params.get(parameter), sample)
    )


def _joinable(
    study: Dataset, kind: str, named: str | None, built_in: str | None = None
) -> dict[str, Dataset]:
    """Return data sets of a kind with items of the study: the one that an address names, then the built-in one, both by
    reader's key, then this workspace's by id, the newest first."""
    by_key: dict[str, Dataset] = {}
    with told_in_words():
        for key in (named, built_in):
            dataset = store().by_key(key) if key else None
            if dataset is not None and dataset.kind == kind:
                by_key[str(key)] = dataset
        own = store().datasets(workspace.current_workspace())
    there = {dataset.id for dataset in by_key.values()}
    offered = by_key | {each.id: each for each in own if each.kind == kind and each.id not in there}
    return {key: dataset for key, dataset in offered.items() if shares_items(study, dataset)}


def choose_joined(
    label: str, offered: dict[str, Dataset], parameter: str, none: str | None = None
) -> tuple[str, Dataset] | None:
    """Draw the choice of a joinable data set, kept in the address; return its key and the data set, None for `none`."""
    if not offered:
        return None
    named = ({"": none} if none is not None else {}) | {key: each.name for key, each in offered.items()}
    keys, labels = list(named), told_apart(named)
    chosen = st.query_params.get(parameter, keys[0])
    key = st.selectbox(
        label,
        keys,
        index=keys.index(chosen) if chosen in keys else 0,
        format_func=labels.__getitem__,
        key=f"{parameter} of {chosen}",
        width=300,
    )
    if _keep_in_address(offered, key, parameter):
        st.rerun()
    if key != (chosen if chosen in keys else keys[0]):
        st.query_params[parameter] = key
        st.rerun()
    return (key, offered[key]) if key in offered else None


def _keep_in_address(offered: dict[str, Dataset], key: str, parameter: str) -> bool:
    """Put a data set of one's own that is joined by id into the address, by reader's key; False where none is."""
    if key not in offered or offered[key].id != key:
        return False
    with told_in_words():
        st.query_params[parameter] = key_of_own(key)
    return True
