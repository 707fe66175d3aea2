"""Read a written study back, and say whether it came out right, was asked about, or became another study."""

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from data.errors import DataError
from data.settings import Settings
from data.store.store import Store
from tests.roundtrip.layouts import LAYOUTS, Written
from tests.roundtrip.studies import Study, make_labels, make_study

RIGHT, ASKED, WRONG = "right", "asked", "wrong"
Rating = tuple[str, str, str, object]
"""Item, rater, measure, and the score or label."""


@dataclass
class Rates:
    """Outcomes by layout, and of tables with each noise; `examples` are seeds of wrong readings, with what came."""

    by_layout: dict[str, Counter[str]] = field(default_factory=dict)
    by_noise: dict[str, Counter[str]] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)


def study_for(layout: str, seed: int) -> Study:
    """Return the study of a seed with a design that the layout can hold."""
    of = LAYOUTS[layout]
    if of.kind == "choices":
        return make_labels(seed)
    return make_study(seed, systems=of.systems, measures=of.measures, words=of.words)


def outcome(study: Study, layout: str, written: Written, store: Store) -> tuple[str, str]:
    """Return what became of a written study, and why."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, content in written.files.items():
            path = Path(folder, name)
            path.write_bytes(content)
            paths.append(path)
        try:
            dataset = store.add(paths if len(paths) > 1 else paths[0])
        except DataError as error:
            return ASKED, str(error)
    try:
        if dataset.kind != LAYOUTS[layout].kind:
            return WRONG, f"read as {dataset.kind}"
        return compare(study, _read_back(store, dataset.id, dataset.kind))
    finally:
        store.delete(dataset.id)


def _read_back(store: Store, id: str, kind: str) -> Counter[Rating]:
    dataset = store.get(id)
    items = store.query(dataset, "item_names")["name"].tolist()
    raters = store.query(dataset, "rater_names")["name"].tolist()
    if kind == "choices":
        rows = store.query(dataset, "choices")
        labels = store.query(dataset, "answers")["name"].tolist()
        return Counter(
            (items[item], raters[rater], "label", labels[choice])
            for item, rater, choice in zip(rows["item"], rows["rater"], rows["choice"], strict=True)
        )
    found: Counter[Rating] = Counter()
    cells = store.query(dataset, "cells")
    for measure, group in zip(cells["measure"].tolist(), cells["group"].tolist(), strict=True):
        rows = store.query(dataset, "ratings", measure=measure, group=group)
        found.update(
            (items[item], raters[rater], measure, float(score))
            for item, rater, score in zip(rows["item"], rows["rater"], rows["score"], strict=True)
        )
    return found


def compare(study: Study, found: Counter[Rating]) -> tuple[str, str]:
    """Compare by names: an item may be called by all its parts, a single measure by any name."""
    numbers = len(study.measures) > 1
    expected: Counter[tuple[object, ...]] = Counter()
    for (item, rater, measure), level in study.levels.items():
        value = study.values[level] if study.measures == ("label",) else study.score(level)
        expected[
            item, _plain(study.raters[rater]), _plain(study.measures[measure]) if numbers else "", value
        ] += 1
    item_of = {name: _item(study, name) for name, *_ in found}
    read = Counter[tuple[object, ...]]()
    for (name, rater, measure, value), times in found.items():
        read[item_of[name], _plain(rater), _plain(measure) if numbers else "", value] += times
    if read == expected:
        return RIGHT, ""
    lost, more = expected - read, read - expected
    return (
        WRONG,
        f"{lost.total()} of {expected.total()} ratings lost, {more.total()} are others, such as {list(more)[:2]}",
    )


def _item(study: Study, name: str) -> int | str:
    """Return the position of the item that a name stands for, or the name."""
    text = name.removeprefix("Please rate ")
    if text in study.items:
        return study.items.index(text)
    fitting = [at for at, parts in enumerate(study.parts) if all(part in name for part in parts)]
    return fitting[0] if len(fitting) == 1 else name


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").strip()


def measured(seeds: range, layouts: tuple[str, ...] = tuple(LAYOUTS)) -> Rates:
    """Return the rates over seeded studies in each layout."""
    rates = Rates()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database=f"{folder}/r.duckdb", spool=Path(folder, "spool"))
        with Store(settings=settings) as store:
            for layout in layouts:
                for seed in seeds:
                    study = study_for(layout, seed)
                    written = LAYOUTS[layout].write(study)
                    came, why = outcome(study, layout, written, store)
                    if not written.decidable and came == ASKED:
                        came = RIGHT
                    rates.by_layout.setdefault(layout, Counter())[came] += 1
                    for noise in written.noise:
                        rates.by_noise.setdefault(noise, Counter())[came] += 1
                    if came != RIGHT:
                        rates.examples.setdefault(f"{layout}: {came}", []).append(f"{seed}: {why}")
    return rates
