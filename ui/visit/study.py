"""The open study: data set and choices of the sidebar, for every page.

The data set comes from the address (`d`, a reader's key) and is never bound to a widget; groups and
measures are bound to it, so that copying the address copies the view.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from analysis.values.names import distinct_label
from data.dataset import Dataset
from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from features.plotting.numbers import count
from features.results import merge_of, query
from features.study import ALL_GROUPS, COLUMN_SUFFIX, SPLIT_HALVES, Study, usual_roles
from features.words import told_apart
from ui.store import store
from ui.visit import workspace
from ui.words import told_in_words


@dataclass(frozen=True)
class Versions:
    """A data set and the older ones that it replaced, the newest of them first."""

    newest: Dataset
    older: tuple[Dataset, ...]

    def number(self, dataset: Dataset) -> int:
        """Return which version this is, counted from the oldest one that is still there."""
        return len(self.older) + 1 - (self.newest, *self.older).index(dataset)


def versions(own: Sequence[Dataset]) -> list[Versions]:
    """Data sets (the newest first) by what they replaced; the order of the newest ones stays."""
    before = {dataset.id: dataset.replaces for dataset in own}
    together: dict[str, list[Dataset]] = {}
    for dataset in own:
        together.setdefault(_first(dataset.id, before), []).append(dataset)
    return [Versions(newest, tuple(older)) for newest, *older in together.values()]


def _first(id: str, before: dict[str, str | None]) -> str:
    """The oldest version that this one goes back to, deleted ones included as far as they are still named."""
    seen = {id}
    while (earlier := before.get(id)) is not None and earlier not in seen:
        seen.add(earlier)
        id = earlier
    return id


def study() -> Study:
    """The study that the frame opened for this run."""
    opened: Study = st.session_state["study"]
    return opened


def dataset_in_use() -> Dataset | None:
    """The data set that the address names, else the last one of this visit, else the first sample.

    None where the address names one that cannot be found, or that is no study of its own, such as the
    contributors of a pyramid; then nobody else's figures are shown.
    """
    with told_in_words():
        dataset = store().by_key(key_in_use())
    return dataset if dataset is not None and KINDS[dataset.kind].study else None


def keep_in_use(dataset: Dataset | None) -> None:
    """Has the address name the data set in use, and this visit come back to it."""
    key = key_in_use()
    if st.query_params.get("d") != key:
        st.query_params["d"] = key
    if dataset is None:
        return
    st.session_state["d"] = key
    if st.session_state.get("in use") != dataset.id:
        store().keep_used(dataset)
        st.session_state["in use"] = dataset.id


def key_of_own(id: str) -> str:
    """The key under which a data set of one's own is opened; asked for only then, and never kept: it may be revoked.

    Raises
    ------
    NotFound
        where this workspace has no such data set.
    """
    return store().link(workspace.owned(id).id)


def show_dataset(key: str) -> None:
    """Open another data set, for this visit and in the address; the sidebar starts from its defaults."""
    st.session_state["d"] = key
    st.query_params["d"] = key


def sidebar(dataset: Dataset, unused: Collection[str] = ()) -> Study:
    """Draw the sidebar and return the study it describes.

    Controls that are `unused` on a page ("candidate", "reference", "measures") are not drawn there, and keep what the
    address holds of them.
    """
    key = st.session_state["d"]
    _choose_dataset(key, dataset)
    if dataset.kind == "choices":
        return _of_choices(key, dataset)
    if dataset.kind != "ratings":
        return _without_groups(key, dataset)
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
        if "candidate" in unused:
            candidate = _held("candidate", groups, groups[candidate_at])
        else:
            candidate = st.selectbox(
                "Candidate group",
                groups,
                index=0 if switched else candidate_at,
                format_func=distinct_label,
                key="candidate",
                bind="query-params",
                help="The ratings in question, often the cheaper ones.",
            )
        if "reference" in unused:
            reference = _held("reference", references, references[reference_at])
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
        chosen = [] if "measures" in unused else _choose_measures(measures)
        st.session_state["sidebar of"] = dataset.id  # only now: a run may be interrupted earlier
        chosen = chosen or list(measures)
        if dataset.rows_set_aside:
            st.caption(f"{count(dataset.rows_set_aside)} rows were set aside at import.")
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
        measures=tuple(m for m in measures if m in chosen),
    )
    return _merge_repeats(opened, "mean")


def _choose_measures(measures: Sequence[str]) -> list[str]:
    """Draw the choice of measures and return those chosen."""
    return st.multiselect(
        "Measures",
        measures,
        format_func=distinct_label,
        key="measures",
        bind="query-params",
        placeholder="All measures",
        help="What the raters were asked to judge. With none chosen, all are shown.",
    )


def _held(key: str, options: Sequence[str], usual: str) -> str:
    """Return what the address holds of a choice that is not drawn."""
    labels = {distinct_label(option): option for option in options}
    return labels.get(st.query_params.get(key, ""), usual)


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
    """The study of a table of choices: no measures, no reference; a group is chosen where there are several."""
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
    opened = replace(_without_groups(key, dataset, candidate), groups=groups)
    return _merge_repeats(opened, "most frequent")


def _without_groups(key: str, dataset: Dataset, candidate: str = ALL_GROUPS) -> Study:
    """The study of a table without measures: nothing to choose but the data set."""
    if dataset.rows_set_aside:
        st.sidebar.caption(f"{count(dataset.rows_set_aside)} rows were set aside at import.")
    return Study(
        key=key,
        whole=dataset,
        dataset=dataset,
        groups=(),
        all_measures=(),
        candidate=candidate,
        reference=None,
        reference_column=None,
        measures=(),
    )


def choose_dataset(dataset: Dataset) -> None:
    """Draw the sidebar of a page that shows no figures: the choice of a data set alone."""
    _choose_dataset(st.session_state["d"], dataset)


def _choose_dataset(key: str, dataset: Dataset) -> None:
    """The choice among samples and own data sets; of one's own only ids go in, and the key is asked for once chosen."""
    named = {sample.key: sample.name for sample in SAMPLES if KINDS[sample.kind].study}
    at = key if key in named else dataset.id
    own = store().datasets(workspace.current_workspace())
    for family in versions([each for each in own if KINDS[each.kind].study]):
        named[family.newest.id] = family.newest.name
        named |= {
            older.id: f"{older.name} (version {family.number(older)})"
            for older in family.older
            if older.id == at
        }
    named.setdefault(at, dataset.name)
    options, labels = list(named), told_apart(named)
    overview, kind = query(dataset, "overview"), KINDS[dataset.kind]
    with st.sidebar:
        chosen = st.selectbox(
            "Data set", options, index=options.index(at), format_func=labels.__getitem__, key=f"dataset {at}"
        )
        by = f" by {count(overview['raters'][0])} {kind.raters}" if dataset.raters_are_persons else ""
        st.caption(
            f"{count(overview['rows'][0])} {kind.rows} of {count(overview['items'][0])} {kind.items}{by}"
        )
    if chosen != at:
        with told_in_words():
            show_dataset(chosen if any(sample.key == chosen for sample in SAMPLES) else key_of_own(chosen))
        st.rerun()


def key_in_use() -> str:
    """Return the key under which the data set in use is opened."""
    key: str = st.query_params.get("d") or st.session_state.get("d") or SAMPLES[0].key
    return key
