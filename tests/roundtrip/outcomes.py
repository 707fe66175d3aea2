"""Read a written study back, and say whether it came out right, was asked about, or became another study."""

import re
import secrets
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from data.dataset import Dataset
from data.errors import BadMapping, DataError
from data.formats.readers import open_table
from data.importing.cells import drop_tables
from data.importing.spool import Spool
from data.importing.staging import read_table
from data.kinds.answer_words import side_sql
from data.mapping.plan import Plan, plan
from data.mapping.proposal import complete_mapping
from data.settings import Settings
from data.store.store import Store
from tests.roundtrip.layouts import LAYOUTS
from tests.roundtrip.noise import Written
from tests.roundtrip.studies import Study

RIGHT, ASKED, WRONG = "right", "asked", "wrong"
LEAST_RIGHT = 0.9
"""Share of the decidable tables of each layout."""
STUDIES, OFTEN = 100, 4
"""Studies of each arrangement in both tiers together, in its layouts in turn, and of each layout in the first."""
KINDS = ("ratings", "choices", "label sets", "rankings")
"""Kinds of studies that the layouts hold."""
SIDES = ("first", "second", "both", "neither", "tie")


@dataclass(frozen=True, order=True)
class Rating:
    """One rating as it was read: the score is a number, a label, a side with the names of both options, or a rank."""

    item: str
    rater: str
    measure: str
    group: str
    score: object
    system: str = ""
    topic: str = ""


Read = Callable[[Sequence[Path]], tuple[str, Counter[Rating]]]
"""Return kind and ratings of the files of one study."""


@dataclass
class Rates:
    """Outcomes by layout and by noise of tables that can be decided, and of those that cannot.

    `examples` are seeds of what was not right, with what came.
    """

    by_layout: dict[str, Counter[str]] = field(default_factory=dict)
    by_noise: dict[str, Counter[str]] = field(default_factory=dict)
    undecidable: dict[str, Counter[str]] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    @property
    def total(self) -> Counter[str]:
        """Outcomes over all layouts of tables that can be decided."""
        return sum(self.by_layout.values(), Counter())

    def add(self, other: "Rates") -> None:
        """Add the outcomes of other studies."""
        for mine, theirs in (
            (self.by_layout, other.by_layout),
            (self.by_noise, other.by_noise),
            (self.undecidable, other.undecidable),
        ):
            for name, came in theirs.items():
                mine.setdefault(name, Counter()).update(came)
        for name, told in other.examples.items():
            self.examples.setdefault(name, []).extend(told)


@contextmanager
def reading_in_memory() -> Iterator[Read]:
    """Yield what reads files and applies the mapping as `Store.add` does, but once, and saves nothing."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(config={"threads": 1}) as connection:
        settings = Settings(database=f"{folder}/r.duckdb", spool=Path(folder), threads=1)
        spool, cursor = Spool(settings), connection.cursor()
        cursor.execute("PRAGMA disable_optimizer")  # it takes longer than reading a small table

        def read(paths: Sequence[Path]) -> tuple[str, Counter[Rating]]:
            several = len(paths) > 1
            path = spool.keep_as_archive([(each.name, each) for each in paths]) if several else paths[0]
            try:
                with open_table(path) as (text, sniffed):
                    kind, mapping = complete_mapping(sniffed)
                    todo = plan(kind, mapping, sniffed)
                    packed = Path(folder, secrets.token_hex(8))  # DuckDB remembers files by their path
                    rows = read_table(cursor, text, sniffed, todo, settings, packed)
                    try:
                        return kind, _ratings_in(cursor, rows.plan) if kind in KINDS else Counter()
                    finally:
                        drop_tables(cursor, packed=rows.packed)
                        packed.unlink(missing_ok=True)
            finally:
                if several:
                    spool.discard(path)

        yield read


def _ratings_in(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Counter[Rating]:
    """Return the ratings or choices in `import_rows`."""
    pairs, score, measure = plan.compared is not None, plan.kind.cells, "measure"
    if plan.kind.name == "choices":
        measure = "design"
        score = side_sql("choice", "option_a", "option_b", plan.switches["@numbers"]) if pairs else "choice"
    measure = "design" if plan.kind.name == "label sets" else measure
    system = "option" if plan.kind.name == "rankings" else "system"
    names = (measure, "rater_group", system, "topic", "option_a", "option_b")
    told = ", ".join(f"coalesce({name}, '')" if plan.has(name) else "''" for name in names)
    real = "WHERE coalesce(\"check\", '') = ''" if plan.has("check") else ""
    rows = cursor.execute(f"SELECT item_id, rater_id, {score}, {told} FROM import_rows {real}").fetchall()
    if not rows:
        raise BadMapping("no row can be kept from this file")
    return Counter(
        Rating(item, rater, called, group, (SIDES[score], *options) if pairs else score, system, topic)
        for item, rater, score, called, group, system, topic, *options in rows
    )


@contextmanager
def saving_in_store() -> Iterator[Read]:
    """Yield what saves files in a store and reads the data set."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database=f"{folder}/r.duckdb", spool=Path(folder, "spool"), threads=1)
        with Store(settings=settings) as store:

            def read(paths: Sequence[Path]) -> tuple[str, Counter[Rating]]:
                dataset = store.add(paths if len(paths) > 1 else paths[0])
                try:
                    return dataset.kind, read_back(store, dataset.id) if dataset.kind in KINDS else Counter()
                finally:
                    store.delete(dataset.id)

            yield read


def outcome(study: Study, layout: str, written: Written, read: Read) -> tuple[str, str]:
    """Return what became of a written study, and why."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, content in written.files.items():
            path = Path(folder, name)
            path.write_bytes(content)
            paths.append(path)
        try:
            kind, found = read(paths)
        except DataError as error:
            return ASKED, f"{type(error).__name__}: {error}"
    if kind != LAYOUTS[layout].kind:
        return WRONG, f"read as {kind}"
    return compare(study, written, found)


def read_back(store: Store, id: str) -> Counter[Rating]:
    """Return the ratings or choices of a data set."""
    dataset = store.get(id)
    items = store.query(dataset, "item_names")["name"].tolist()
    raters = store.query(dataset, "rater_names")["name"].tolist()
    found: Counter[Rating] = Counter()
    if dataset.kind == "choices":
        rows = store.query(dataset, "choices")
        columns = (rows[name] for name in ("item", "rater", "design", "choice", "first", "second"))
        labels = store.query(dataset, "answers")["name"].tolist()
        designs = store.query(dataset, "designs")["name"].tolist() if dataset.has("design") else []
        pairs = dataset.has("option_a", "option_b")
        options = store.query(dataset, "options")["name"].tolist() if pairs else []
        for item, rater, design, choice, first, second in zip(*columns, strict=True):
            chosen = (SIDES[choice], options[first], options[second]) if pairs else labels[choice]
            found[Rating(items[item], raters[rater], designs[design] if designs else "", "", chosen)] += 1
        return found
    if dataset.kind == "label sets":
        rows = store.query(dataset, "label_sets")
        sets = store.query(dataset, "different_sets")["name"].tolist()
        questions = [*store.query(dataset, "questions")["name"].tolist(), ""]
        columns = (rows[name] for name in ("item", "rater", "design", "labels"))
        found.update(
            Rating(items[item], raters[rater], questions[design], "", sets[labels])
            for item, rater, design, labels in zip(*columns, strict=True)
        )
        return found
    if dataset.kind == "rankings":
        rows = store.query(dataset, "rankings")
        options = store.query(dataset, "ranked_options")["name"].tolist()
        columns = (rows[name] for name in ("item", "rater", "rank", "option"))
        found.update(
            Rating(items[item], raters[rater], "", "", float(rank), options[option])
            for item, rater, rank, option in zip(*columns, strict=True)
        )
        return found
    parts = _parts(store, dataset)
    cells = store.query(dataset, "cells")
    for measure, group in zip(cells["measure"].tolist(), cells["group"].tolist(), strict=True):
        rows = store.query(dataset, "ratings", measure=measure, group=group)
        found.update(
            Rating(items[item], raters[rater], measure, group, float(score), *parts.get(item, ("", "")))
            for item, rater, score in zip(rows["item"], rows["rater"], rows["score"], strict=True)
        )
    return found


def _parts(store: Store, dataset: Dataset) -> dict[int, tuple[str, str]]:
    """Return system and topic of each item, by its code; "" for none."""
    if not (dataset.has("system") or dataset.has("topic")):
        return {}
    of = store.query(dataset, "belonging")
    named = []
    for column in ("system", "topic"):
        labels = store.query(dataset, "labels", column=column)["name"].tolist() if dataset.has(column) else []
        named.append([labels[code] if code >= 0 else "" for code in of[column].tolist()])
    return dict(zip(of["item"].tolist(), zip(*named, strict=True), strict=True))


def expected(study: Study, written: Written) -> Counter[Rating]:
    """Return the ratings that a study's tables hold."""
    wanted: Counter[Rating] = Counter()
    for levels in (study.levels, study.again):
        for (item, rater, measure), level in levels.items():
            score: object = study.values[level] if study.has_labels else study.score(level)
            if study.options:
                score = (SIDES[level], *study.options[item])
            group = study.groups[rater] if written.has_groups else ""
            called = study.measures[measure]
            parts = (called, "") if study.is_ranked else ()
            parts = (study.systems[item], study.topics[item]) if written.has_parts and not parts else parts
            called = "" if study.is_ranked else called
            wanted[Rating(str(item), study.raters[rater], called, group, score, *parts)] += 1
    return wanted


def compare(study: Study, written: Written, found: Counter[Rating]) -> tuple[str, str]:
    """Compare by names: an item may be called by all its parts, a single measure by any name."""
    item_of = {name: _item(study, written, name) for name in {rating.item for rating in found}}
    several = len(study.measures) > 1

    def simplified(ratings: Counter[Rating], items: dict[str, str] | None) -> Counter[tuple[object, ...]]:
        simple: Counter[tuple[object, ...]] = Counter()
        for rating, times in ratings.items():
            item = items[rating.item] if items else rating.item
            measure = _plain(rating.measure) if several else ""
            group = _plain(rating.group) if written.has_groups else ""
            rater = "" if written.raters == "slots" else _plain(rating.rater)
            parts = (rating.system, rating.topic) if written.has_parts else ()
            simple[item, rater, measure, group, rating.score, *parts] += times
        return simple

    wanted, read = simplified(expected(study, written), None), simplified(found, item_of)
    if written.raters == "unnamed" and _by_rater(wanted) == _by_rater(read):
        return RIGHT, ""
    if read == wanted:
        return RIGHT, ""
    lost, more = wanted - read, read - wanted
    return (
        WRONG,
        f"{lost.total()} of {wanted.total()} ratings lost, {more.total()} are others, such as {list(more)[:2]}",
    )


def _by_rater(ratings: Counter[tuple[object, ...]]) -> Counter[frozenset[tuple[tuple[object, ...], int]]]:
    own: dict[object, Counter[tuple[object, ...]]] = {}
    for (item, rater, *others), times in ratings.items():
        own.setdefault(rater, Counter())[item, *others] += times
    return Counter(frozenset(each.items()) for each in own.values())


def _item(study: Study, written: Written, name: str) -> str:
    """Return the position of the item that a name stands for, or the name."""
    known = written.aliases.get(name, name)
    if known in study.items:
        return str(study.items.index(known))
    fitting = [
        at
        for at, parts in enumerate(study.parts)
        if all(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", name) for part in parts)
    ]
    if not fitting and study.systems:
        fitting = [at for at, parts in enumerate(study.parts) if all(part in name for part in parts)]
    return str(fitting[0]) if len(fitting) == 1 else name


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").strip()


def measured(
    seeds: range,
    layouts: Iterable[str] = tuple(LAYOUTS),
    reading: Callable[[], AbstractContextManager[Read]] = reading_in_memory,
) -> Rates:
    """Return the rates over seeded studies in each layout."""
    rates = Rates()
    with reading() as read:
        for layout in layouts:
            for seed in seeds:
                _measure(rates, layout, seed, read)
    return rates


def _measure(rates: Rates, layout: str, seed: int, read: Read) -> None:
    study = LAYOUTS[layout].study(seed)
    written = LAYOUTS[layout].write(study)
    came, why = outcome(study, layout, written, read)
    if written.decidable:
        rates.by_layout.setdefault(layout, Counter())[came] += 1
        for noise in written.noise:
            rates.by_noise.setdefault(noise, Counter())[came] += 1
    else:
        rates.undecidable.setdefault(layout, Counter())[came] += 1
    if came == WRONG or (came == ASKED and written.decidable):
        rates.examples.setdefault(f"{layout}: {came}", []).append(f"seed {seed}: {why}")


def check_reading(layout: str, seeds: range) -> None:
    """Read studies of a layout in memory and check what came."""
    check_rates(layout, measured(seeds, [layout]))


def check_rates(layout: str, rates: Rates) -> None:
    """Check that no study of a layout is read as another one, and that nearly all are read right."""
    misread = [told for name, told in rates.examples.items() if name.endswith(WRONG)]
    assert not misread, misread
    came = rates.by_layout.get(layout, Counter())
    assert came[RIGHT] >= LEAST_RIGHT * came.total(), rates.examples
