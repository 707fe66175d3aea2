"""Controls of the Data page lead from any wrong proposal to the mapping that gives the study's ratings."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import streamlit as st

from data.dataset import SLOT
from data.kinds.definitions import kind_named
from data.kinds.kind import Kind
from data.kinds.studies import ENDS
from data.mapping.plan import ALL, FILES, MISSING, NAMES, ROW, SWITCHES, VALUES, FileMapping
from data.mapping.proposal import Proposal, propose
from data.mapping.values import values_to_map
from data.settings import Settings
from data.store.store import Store
from data.tables.sniffed import Sniffed
from tests.corpus.expectations import Expected
from tests.corpus.test_corpus import CASES
from tests.corpus.test_corpus import HERE as CORPUS_TESTS
from tests.roundtrip.layouts import LAYOUTS
from tests.roundtrip.noise import Written
from tests.roundtrip.outcomes import RIGHT, compare, read_back
from ui.screens import columns, upload
from ui.screens.columns import UNUSED, Heads

OwnMapping = dict[str, str | tuple[str, ...]]
SLOTS = "worker,clip_1,clip_2,answer_1,answer_2\n" + "".join(
    f"w{n},c{n % 4}.wav,c{(n + 1) % 4}.wav,{1 + n % 5},{1 + n * 2 % 5}\n" for n in range(8)
)
GROUPS = "clip,crowd_1,crowd_2,expert_1,expert_2\n" + "".join(
    f"c{n},{1 + n % 5},{1 + n * 2 % 5},{1 + n * 3 % 5},{1 + (n + 2) % 5}\n" for n in range(8)
)


def _is_one_table(case: Expected) -> bool:
    """Return True for a file whose columns are all recognized."""
    return case.outcome == "read" and len(case.files) == 1 and not case.or_refuses


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database=f"{folder}/r.duckdb", spool=Path(folder, "spool"), threads=1)
        with Store(settings=settings) as opened:
            yield opened


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a page, what a visitor chose is kept in a plain dictionary."""
    monkeypatch.setattr(st, "session_state", {})


@pytest.mark.journey
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_right_mapping_is_reached_from_any_proposal(layout: str, store: Store, tmp_path: Path) -> None:
    study = LAYOUTS[layout].study(0)
    written = LAYOUTS[layout].write(study)
    path = _waiting(written, store, tmp_path)
    seen = store.sniff(path)
    first = propose(seen)
    if not written.decidable and {"item", "rater"} <= {
        *seen.names
    }:  # as a format calls them that leaves them open
        first = replace(first, mapping={"item_id": "item", "rater_id": "rater", **first.mapping})
    possible = [first] if written.decidable else [first, *_proposals(seen)]
    outcomes = []
    for right in possible:
        reached = _reached(seen, right)
        for mapping in {repr(sorted(each.items())): each for each in reached}.values():
            dataset = store.add(path, right.kind, mapping)
            outcomes.append(compare(study, written, read_back(store, dataset.id))[0])
            store.delete(dataset.id)
    assert RIGHT in outcomes
    assert not written.decidable or {*outcomes} == {RIGHT}


@pytest.mark.journey
@pytest.mark.parametrize("name", sorted(name for name, case in CASES.items() if _is_one_table(case)))
def test_readings_of_the_corpus_are_reached_from_any_proposal(name: str, store: Store) -> None:
    seen = store.sniff(CORPUS_TESTS / "cases" / CASES[name].files[0])
    _reached(seen, propose(seen))


@pytest.mark.parametrize("content", [SLOTS, GROUPS], ids=["slots", "groups in names"])
def test_what_each_answer_belongs_to_is_reached_from_any_proposal(
    content: str, store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(content)
    seen = store.sniff(path)
    right = propose(seen)
    _reached(seen, right)
    assert isinstance(right.mapping.get("item_id" if content is SLOTS else "@names rater_group"), tuple)


def _reached(seen: Sniffed, right: Proposal) -> list[OwnMapping]:
    """Return the mappings that are set by hand to be like the right one, from each wrong proposal."""
    wrong = list(wrong_proposals(seen, right))
    assert len(wrong) > 2
    starts = enumerate(map(dict, wrong))
    return [
        set_by_hand(seen, right.kind, start, right.mapping, f"{right.mapping} {at}") for at, start in starts
    ]


def _proposals(seen: Sniffed) -> Iterator[Proposal]:
    """Yield the proposal of each reading of a table."""
    for reading in seen.readings:
        yield propose(replace(seen, readings=(replace(reading, evidence=1.0),)), reading.kind)


def _waiting(written: Written, store: Store, folder: Path) -> Path:
    paths = [folder / name for name in written.files]
    for path, content in zip(paths, written.files.values(), strict=True):
        path.write_bytes(content)
    return store.spool.keep_as_archive([(path.name, path) for path in paths]) if len(paths) > 1 else paths[0]


def wrong_proposals(seen: Sniffed, right: Proposal) -> Iterator[FileMapping]:
    """Yield nothing at all, the other readings, and the right one with roles swapped, dropped, or in another layout."""
    kind = kind_named(right.kind)
    yield {}
    for reading in seen.readings:
        if reading.kind == right.kind and reading != right.reading:
            yield propose(replace(seen, readings=(replace(reading, evidence=1.0),)), right.kind).mapping
    roles = [name for name, source in right.mapping.items() if kind.column(name) and isinstance(source, str)]
    plain = [name for name in roles if right.mapping[name] not in (ROW, SLOT, ALL)]
    for one, other in pairwise(plain):
        yield {**right.mapping, one: right.mapping[other], other: right.mapping[one]}
    for name in roles:
        yield {each: source for each, source in right.mapping.items() if each != name}
    cells = right.mapping[kind.cells_of(right.mapping.get("@form"))]
    if isinstance(cells, tuple):
        yield {
            **_plain(right.mapping),
            kind.cells_of(right.mapping["@form"]): cells[:-1],
            "@form": right.mapping["@form"],
        }
        for form in kind.forms:
            if form != right.mapping["@form"]:
                yield {**_plain(right.mapping), kind.cells_of(form): cells, "@form": form}
        yield {**_plain(right.mapping), kind.cells: cells[0]}
    else:
        for form in kind.forms:
            others = [name for name in seen.names if name not in right.mapping.values()]
            yield {**_plain(right.mapping), kind.cells_of(form): (cells, *others[:1]), "@form": form}


def _plain(mapping: FileMapping) -> OwnMapping:
    """Return the columns of a mapping that a table of another layout can have as well."""
    return {name: source for name, source in mapping.items() if name[0] != "@" and isinstance(source, str)}


def set_by_hand(
    seen: Sniffed, kind_name: str, proposed: OwnMapping, right: FileMapping, visit: str
) -> OwnMapping:
    """Set the right mapping with the functions behind the page's controls, which start from another proposal."""
    kind = kind_named(kind_name)
    form = str(right.get("@form", "long"))
    assert form in upload.form_options(kind).values()
    cells = right[kind.cells_of(form)]
    wide = () if form == "long" else tuple(cells)
    assert {*wide} <= {*seen.names}
    names = {entry: told for entry, told in right.items() if entry.startswith(NAMES)}
    if form != "long" and names:
        assert names in upload.name_options(kind, form, wide, proposed).values()
    if form == ENDS:
        names[kind.cells] = right[kind.cells]
    named = upload.named_by_columns(kind, form, names)

    def heads() -> Heads:
        return columns.propose_heads(visit, seen, kind, proposed, form, wide, named)

    _set_heads(heads, kind, right, form)
    missing = right.get(MISSING, ())
    mapping = upload.mapping_of(seen, kind, form, wide, names, missing, heads().mapping())
    _set_switches(mapping, seen, kind, right)
    _set_values(mapping, seen, kind, right)
    assert {name: _set(source) for name, source in mapping.items()} == {
        name: _set(source) for name, source in (right | {"@header": mapping["@header"]}).items()
    }
    return mapping


def _set(source: str | tuple[str, ...]) -> tuple[str, ...]:
    return (source,) if isinstance(source, str) else tuple(source)


def _set_heads(heads: Callable[[], Heads], kind: Kind, right: FileMapping, form: str) -> None:
    """Choose what each column is, in the boxes that the page shows by then."""
    wanted = {
        source: name if kind.column(name) else kind.role(name)
        for name, source in right.items()
        if name[0] != "@" and (form == "long" or name not in (kind.cells, kind.cells_of(form)))
    }
    made = right.get("item_id") in (ROW, ALL) or (form == ENDS and right["item_id"] == right["option"])
    if form != "item columns" and (not made or form == ENDS):
        wanted = {source: role for source, role in wanted.items() if role != "item_id"}
    for source in heads().sources:
        if source not in wanted and heads().role(source) not in (UNUSED, "item_id"):
            _choose(heads, source, UNUSED)
        if source in heads().item and form == "item columns":
            _choose(heads, source, UNUSED)
    for source, role in wanted.items():
        if heads().role(source) != role:
            _choose(heads, source, role)
    if form != "item columns" and "item_id" in right and not made:
        st.session_state["box"] = list(_set(right["item_id"]))
        assert {*st.session_state["box"]} <= {*heads().sources}
        heads().choose_item("box")


def _choose(heads: Callable[[], Heads], source: str | tuple[str, ...], role: str) -> None:
    of_file = heads()
    assert source in of_file.sources
    assert role in of_file.roles_of(source)
    st.session_state["box"] = role
    of_file.choose(source, "box")


def _set_switches(mapping: OwnMapping, seen: Sniffed, kind: Kind, right: FileMapping) -> None:
    """Choose the switches that the page shows."""
    allowed = {name: SWITCHES[name] for name in upload.SWITCH_LABELS if name in kind.switches}
    allowed |= {switch.name: switch.allowed for switch in seen.switches}
    allowed |= {"@seconds": SWITCHES["@seconds"]} if "@seconds" in kind.switches else {}
    for name, setting in right.items():
        if name in allowed:
            assert setting in allowed[name]
            mapping[name] = setting


def _set_values(mapping: OwnMapping, seen: Sniffed, kind: Kind, right: FileMapping) -> None:
    """Fill in the tables of values that the page shows."""
    shown = values_to_map(seen, kind, mapping)
    for name, entry in right.items():
        if name.startswith(VALUES):
            assert name.removeprefix(VALUES) in shown
            mapping[name] = entry
        assert name != FILES
