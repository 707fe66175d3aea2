"""The open study: its data set and the choices of the sidebar, what the address holds of it, and tables joined to it.

The data set comes from the address (`d`, a reader's key) and is never bound to a widget; groups and measures are.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from analysis.values.estimate import distinct_label
from data.dataset import Dataset
from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from features.assessments import SAMPLE_PYRAMIDS, shares_items, shares_systems
from features.study import (
    ALL_GROUPS,
    COLUMN_SUFFIX,
    SPLIT_HALVES,
    WITH_GROUPS,
    Study,
    merge_of,
    query,
    usual_roles,
)
from features.words import distinct_names
from ui.controls import choose_some
from ui.elements import show_user_errors, store
from ui.visit import workspace


@dataclass(frozen=True)
class Versions:
    """A data set and the older ones that it replaced, the newest of them first.

    `label` is its name, with a number where an earlier one has the same.
    """

    newest: Dataset
    older: tuple[Dataset, ...]
    label: str

    def number(self, dataset: Dataset) -> int:
        """Return which version this is, counted from the oldest one that is still there."""
        return len(self.older) + 1 - (self.newest, *self.older).index(dataset)


def versions(own: Sequence[Dataset]) -> list[Versions]:
    """Return data sets (the newest first) by what they replaced, in the order of the newest ones."""
    before = {dataset.id: dataset.replaces for dataset in own}
    together: dict[str, list[Dataset]] = {}
    for dataset in own:
        together.setdefault(_first(dataset.id, before), []).append(dataset)
    oldest_first = {newest.id: newest.name for newest, *_ in reversed(together.values())}
    labels = distinct_names(oldest_first)
    return [Versions(newest, tuple(older), labels[newest.id]) for newest, *older in together.values()]


def _first(id: str, before: dict[str, str | None]) -> str:
    """Return the oldest version of this one, deleted ones included where they are still named."""
    seen = {id}
    while (earlier := before.get(id)) is not None and earlier not in seen:
        seen.add(earlier)
        id = earlier
    return id


def study() -> Study:
    """Return the study that the frame opened for this run."""
    opened: Study = st.session_state["study"]
    return opened


def dataset_in_use() -> Dataset | None:
    """Return the data set in the address, the last one of this visit, or the first sample.

    None where the one of the address cannot be found, or is no study, such as the contributors of a pyramid.
    """
    with show_user_errors():
        dataset = store().by_key(key_in_use())
    return dataset if dataset is not None and KINDS[dataset.kind].study else None


def keep_in_use(dataset: Dataset | None) -> None:
    """Put the data set in use into the address, and remember it for this visit."""
    key = key_in_use()
    if st.query_params.get("d") != key:
        st.query_params["d"] = key
    if dataset is None:
        return
    st.session_state["d"] = key
    if st.session_state.get("in use") != dataset.id:
        store().record_use(dataset)
        st.session_state["in use"] = dataset.id


def key_of_own(id: str) -> str:
    """Return the key that opens a data set of one's own, which may be revoked; raise `NotFound` for others'."""
    return store().link(workspace.owned(id).id)


def show_dataset(key: str) -> None:
    """Open another data set, for this visit and in the address."""
    st.session_state["d"] = key
    st.query_params["d"] = key


def sidebar(dataset: Dataset, uses_reference: bool = True) -> Study:
    """Draw the sidebar and return the study it describes.

    A page that does not use the reference keeps what the address holds of it.
    """
    key = st.session_state["d"]
    choose_dataset(dataset)
    if dataset.kind in WITH_GROUPS and dataset.kind != "ratings":
        return _of_choices(key, dataset)
    if dataset.kind != "ratings":
        return Study(key, dataset, dataset)
    cells = query(dataset, "cells")
    groups = tuple(dict.fromkeys(cells["group"].tolist()))
    measures = tuple(dict.fromkeys(cells["measure"].tolist()))
    columns = [column.name for column in dataset.columns if column.role == "item number"]
    references = [*groups, *(name + COLUMN_SUFFIX for name in columns), SPLIT_HALVES]
    candidate_at, reference_at = usual_roles(groups)
    switched = st.session_state.get("sidebar of", dataset.id) != dataset.id
    if switched:
        # the browser still holds the last data set's choices; only a value set here replaces them there
        st.session_state["candidate"] = groups[candidate_at]
        st.session_state["reference"] = references[reference_at]
        st.session_state["measures"] = []
    with st.sidebar:
        candidate = st.selectbox(
            "Candidate group",
            groups,
            index=0 if switched else candidate_at,
            format_func=distinct_label,
            key="candidate",
            bind="query-params",
            help="The ratings in question, often the cheaper ones.",
        )
        if not uses_reference:
            labels = {distinct_label(name): name for name in references}
            reference = labels.get(st.query_params.get("reference", ""), references[reference_at])
        else:
            reference = st.selectbox(
                "Reference",
                references,
                index=0 if switched else reference_at,
                format_func=distinct_label,
                key="reference",
                bind="query-params",
                help="What the candidate is compared with: another group, a number known for each item, or the other "
                "half of its ratings.",
            )
        help = "What the raters were asked to judge. With none chosen, all are shown."
        chosen = choose_some("Measures", measures, "All measures", key="measures", help=help)
        st.session_state["sidebar of"] = dataset.id  # only now: a run may be interrupted earlier
    at = references.index(reference)
    opened = Study(
        key=key,
        whole=dataset,
        dataset=dataset,
        groups=groups,
        all_measures=measures,
        candidate=candidate,
        reference=groups[at] if at < len(groups) else None,
        reference_column=columns[at - len(groups)] if len(groups) <= at < len(references) - 1 else None,
        measures=chosen or measures,
    )
    return _merge_repeats(opened, "mean")


def _merge_repeats(opened: Study, usual: str) -> Study:
    """Draw the choice of what stands for a rater's repeats where there are some, and return the study with it."""
    if merge_of(opened.whole, "mean") is None:
        return opened
    with st.sidebar:
        merge = st.selectbox(
            "Repeats of a rater count as their",
            [usual, "last"],
            key="repeats",
            bind="query-params",
            help="Some raters judged an item more than once. Where raters are compared, one value stands for a rater's "
            "repeats. Means of items and systems keep every rating.",
        )
    return replace(opened, merge="last" if merge == "last" else "mean")


def _of_choices(key: str, dataset: Dataset) -> Study:
    """Return the study of choices, of one group where one is chosen."""
    groups = tuple(dict.fromkeys(query(dataset, "cells")["group"].tolist()))
    candidate = ALL_GROUPS
    if len(groups) > 1:
        with st.sidebar:
            candidate = st.selectbox(
                "Group",
                [ALL_GROUPS, *groups],
                format_func=distinct_label,
                key="group",
                bind="query-params",
                help="Whose choices the figures are based on.",
            )
    return _merge_repeats(Study(key, dataset, dataset, groups, candidate=candidate), "most frequent")


def choose_dataset(dataset: Dataset) -> None:
    """Draw the choice among samples and one's own data sets, of which the browser gets ids, not keys."""
    key = st.session_state["d"]
    named = {sample.key: sample.name for sample in SAMPLES if KINDS[sample.kind].study}
    at = key if key in named else dataset.id
    own = store().datasets(workspace.current_workspace())
    for family in versions([each for each in own if KINDS[each.kind].study]):
        named[family.newest.id] = family.label
        named |= {
            older.id: f"{older.name} (version {family.number(older)})"
            for older in family.older
            if older.id == at
        }
    named.setdefault(at, dataset.name)
    options, labels = list(named), distinct_names(named)
    chosen = st.sidebar.selectbox(
        "Data set", options, index=options.index(at), format_func=labels.__getitem__, key=f"dataset {at}"
    )
    if chosen != at:
        with show_user_errors():
            show_dataset(chosen if any(sample.key == chosen for sample in SAMPLES) else key_of_own(chosen))
        st.rerun()


def key_in_use() -> str:
    key: str = st.query_params.get("d") or st.session_state.get("d") or SAMPLES[0].key
    return key


def parameters() -> dict[str, str | list[str]]:
    """Return all that the address holds, for that of another page."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def values_in_address() -> list[tuple[str, str]]:
    return [(name, value) for name in st.query_params for value in st.query_params.get_all(name)]


def base_of(path: str) -> str:
    """Return where the app lives as the browser sees it, also behind a proxy or under a path; no slash at its end."""
    return (st.context.url or "").removesuffix(f"/{path}" if path else "").rstrip("/")


def address_of(base: str, path: str, parameters: list[tuple[str, str]]) -> str:
    return f"{base}/{path}?{urlencode(parameters)}"


def view_at(path: str) -> str:
    """Return what is kept of the address of this view: all but the key of the data set."""
    rest = urlencode([pair for pair in values_in_address() if pair[0] != "d"])
    return f"/{path}?{rest}" if rest else f"/{path}"


def address_of_view(base: str, view: str, key: str) -> str:
    """Return the whole address of a kept view under a key of its data set."""
    path, _, rest = view.partition("?")
    return address_of(base, path.lstrip("/"), [("d", key), *parse_qsl(rest, keep_blank_values=True)])


def drop_infinite_numbers() -> None:
    """Remove parameters such as `1e999`, on which Streamlit fails, from the address, and run again."""
    endless = [name for name in st.query_params if any(map(_is_infinite, st.query_params.get_all(name)))]
    for name in endless:
        del st.query_params[name]
    if endless:
        st.rerun()


def _is_infinite(value: str) -> bool:
    try:
        return math.isinf(float(value))
    except ValueError:
        return False


METRICS, PYRAMID, PAIRS = "metrics", "pyramid", "pairs"
"""Parameters of the address."""


def joinable_metrics(study: Study) -> dict[str, Dataset]:
    """Return data sets of metrics with items of the study, by key."""
    return _joinable(study.whole, "metrics", st.query_params.get(METRICS))


def joinable_contributors(study: Study, named: str | None = None) -> dict[str, Dataset]:
    """Return data sets of contributors with items of the study by key, first the `named` one or that of the address."""
    key = st.query_params.get(PYRAMID) if named is None else named
    return _joinable(study.whole, "contributors", key, SAMPLE_PYRAMIDS.get(study.key))


def joinable_comparisons(study: Study) -> dict[str, Dataset]:
    return _joinable(study.whole, "choices", st.query_params.get(PAIRS), shares=shares_systems)


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
    study: Dataset,
    kind: str,
    named: str | None,
    built_in: str | None = None,
    shares: Callable[[Dataset, Dataset], bool] = shares_items,
) -> dict[str, Dataset]:
    """Return data sets of a kind that share something with the study, by default items: the named and the built-in
    one, then one's own by id."""
    by_key: dict[str, Dataset] = {}
    with show_user_errors():
        for key in (named, built_in):
            dataset = store().by_key(key) if key else None
            if dataset is not None and dataset.kind == kind:
                by_key[str(key)] = dataset
        own = store().datasets(workspace.current_workspace())
    there = {dataset.id for dataset in by_key.values()}
    offered = by_key | {each.id: each for each in own if each.kind == kind and each.id not in there}
    return {key: dataset for key, dataset in offered.items() if shares(study, dataset)}


def choose_joined(
    label: str, offered: dict[str, Dataset], parameter: str, none: str | None = None
) -> tuple[str, Dataset] | None:
    """Draw the choice of a joinable data set, kept in the address; return its key and the data set, None for `none`."""
    if not offered:
        return None
    named = ({"": none} if none is not None else {}) | {key: each.name for key, each in offered.items()}
    keys, labels = list(named), distinct_names(named)
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
    with show_user_errors():
        st.query_params[parameter] = key_of_own(key)
    return True
