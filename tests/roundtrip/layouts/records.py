"""Layouts in JSON."""

import csv
import io
import json
from collections.abc import Sequence

from tests.roundtrip.noise import Files, Noise, Written
from tests.roundtrip.studies import Study

Record = dict[str, object]


def _scores(noise: Noise, at: int, who: int) -> Record:
    study = noise.study
    return {
        measure: noise.score(study.levels[at, who, what])
        for what, measure in enumerate(study.measures)
        if (at, who, what) in study.levels
    }


def _flat(noise: Noise) -> list[Record]:
    study, item, rater = noise.study, noise.header("item"), noise.header("rater")
    return [
        {item: name, rater: person, **scores}
        for at, name in enumerate(study.items)
        for who, person in enumerate(study.raters)
        if (scores := _scores(noise, at, who))
    ]


def _written(noise: Noise, content: str, decided_by: str, name: str = "study.json", **known: str) -> Written:
    return Written({name: content.encode()}, tuple(noise.used), decided_by, **known)  # type: ignore[arg-type]


def _dumped(noise: Noise, content: object) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2 if noise.happens("indented", 0.5) else None)


def nested(study: Study) -> Written:
    """Write one record per item with a list of annotations."""
    noise = Noise(study, "json nested", commas=False)
    listed, rater = noise.one_of(("annotations", "ratings", "judgments")), noise.header("rater")
    records: Sequence[Record] = [
        {
            "id": name,
            listed: [
                {rater: person, **scores}
                for who, person in enumerate(study.raters)
                if (scores := _scores(noise, at, who))
            ],
        }
        for at, name in enumerate(study.items)
    ]
    return _written(noise, _dumped(noise, records), "the keys")


def slots(study: Study) -> Written:
    """Write one record per item with a list of scores of raters who are not named."""
    noise = Noise(study, "json slots", commas=False)
    records: Sequence[Record] = [
        {
            "id": name,
            "text": f"This is a short text about {name}.",
            "annotations": [s for who in range(len(study.raters)) if (s := _scores(noise, at, who))],
        }
        for at, name in enumerate(study.items)
    ]
    return _written(noise, _dumped(noise, records), "the keys", raters="slots")


def flat(study: Study) -> Written:
    """Write a list of records, one per item and rater."""
    noise = Noise(study, "json flat", commas=False)
    return _written(noise, _dumped(noise, _flat(noise)), "the keys")


def lines(study: Study) -> Written:
    """Write a record per line, one per item and rater."""
    noise = Noise(study, "json lines", commas=False)
    content = "\n".join(json.dumps(record, ensure_ascii=False) for record in _flat(noise))
    return _written(noise, content + "\n", "the keys", name="study.jsonl")


def by_rater(study: Study) -> Written:
    """Write an object of raters, each an object of items with their scores.

    Nobody can tell the two levels apart where names say nothing.
    """
    noise = Noise(study, "json by rater", commas=False)
    content = {
        person: {
            name: noise.score(study.levels[at, who, 0])
            for at, name in enumerate(study.items)
            if (at, who, 0) in study.levels
        }
        for who, person in enumerate(study.raters)
    }
    decided_by = "the names of items and raters" if study.has_named_axes else ""
    return _written(noise, _dumped(noise, content), decided_by)


def by_item(study: Study) -> Written:
    """Write an object of items, each an object of raters with their scores."""
    noise = Noise(study, "json by item", commas=False)
    content = {
        name: {
            person: noise.score(study.levels[at, who, 0])
            for who, person in enumerate(study.raters)
            if (at, who, 0) in study.levels
        }
        for at, name in enumerate(study.items)
    }
    return _written(noise, _dumped(noise, content), "the names of items and raters")


def by_id(study: Study) -> Written:
    """Write an object of records by the item's id, each with lists or texts of raters and of their scores."""
    noise = Noise(study, "json by id", commas=False)
    as_text = noise.happens("texts with commas", 0.5)
    content: dict[str, Record] = {}
    for at, name in enumerate(study.items):
        given = [who for who in range(len(study.raters)) if _scores(noise, at, who)]
        lists: dict[str, list[object]] = {"annotators": [study.raters[who] for who in given]}
        lists |= {
            measure: [_scores(noise, at, who).get(measure, "") for who in given] for measure in study.measures
        }
        told: Record = {key: ",".join(map(str, each)) if as_text else each for key, each in lists.items()}
        content[name] = {
            "text": f"This is a short text about {name}.",
            "number of answers": len(given),
            **told,
        }
    return _written(noise, _dumped(noise, content), "the keys")


def python_lists(study: Study) -> Written:
    """Write a table of items with lists of raters and of their scores in cells, as Python writes them."""
    noise = Noise(study, "python lists", commas=False)
    made = tuple if noise.happens("tuples", 0.5) else list
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(["item", "text", "annotators", *study.measures])
    for at, name in enumerate(study.items):
        given = [who for who in range(len(study.raters)) if _scores(noise, at, who)]
        scores = [[_scores(noise, at, who).get(what, "") for who in given] for what in study.measures]
        raters = [study.raters[who] for who in given]
        writer.writerow([name, f"This is a short text about {name}.", *map(made, (raters, *scores))])
    return _written(noise, content.getvalue(), "the keys", name="study.csv")


def within_records(study: Study) -> Written:
    """Write one record per source with a list of what was rated, each with a list of answers."""
    noise = Noise(study, "json within", commas=False)
    item, rater = noise.header("item"), noise.header("rater")
    items: Sequence[Record] = [
        {
            item: name,
            "responses": [
                {rater: person, **scores}
                for who, person in enumerate(study.raters)
                if (scores := _scores(noise, at, who))
            ],
        }
        for at, name in enumerate(study.items)
    ]
    records = [
        {"source": f"This is the text number {at} that was summed up.", "summaries": items[at : at + 2]}
        for at in range(0, len(items), 2)
    ]
    return _written(noise, _dumped(noise, records), "the keys")


def below_keys(study: Study) -> Written:
    """Write one object whose keys name raters, each with a list of what they rated."""
    noise = Noise(study, "json below keys", commas=False)
    item = noise.header("item")
    people = {
        person: {
            "age": 20 + who,
            "device": "headphones" if who % 2 else "speakers",
            "ratings": [
                {item: name, **scores}
                for at, name in enumerate(study.items)
                if (scores := _scores(noise, at, who))
            ],
        }
        for who, person in enumerate(study.raters)
    }
    content = {"items": [*study.items], noise.one_of(("workers", "raters", "annotators")): people}
    return _written(noise, _dumped(noise, content), "the keys")


def lists_of_lists(study: Study) -> Written:
    """Write one record per source with a list of what was rated, and for each measure a list of lists of scores."""
    noise = Noise(study, "json lists of lists", commas=False)
    texts = noise.one_of(("summaries", "outputs", "responses"))
    called = [f"The text called {name} is one of those that were rated." for name in study.items]
    as_lines = noise.happens("a record per line", 0.5)
    size, several = int(noise.draw.integers(2, 5)), int(noise.draw.integers(2, 7))
    aliases = dict(zip(called, study.items, strict=True))
    named = noise.happens("ids of sources", 0.5)
    several += 0 if named else 3  # else nobody can tell which of two lists of texts was rated
    records: list[Record] = []
    for first in range(0, len(study.items), size):
        of = range(first, min(first + size, len(study.items)))
        lists = {
            measure: [
                [noise.score(level) if level is not None else None for level in levels]
                for at in of
                for levels in [[study.levels.get((at, who, what)) for who in range(len(study.raters))]]
            ]
            for what, measure in enumerate(study.measures)
        }
        sources = [f"This is source {number} of the texts of {first}." for number in range(several)]
        source = f"source-{len(records) + 1}"
        aliases |= {f"{source}__{place}": study.items[at] for place, at in enumerate(of, start=1)}
        about: Record = {"id": source} if named else {}
        records.append({**about, "sources": sources, texts: called[of.start : of.stop], **lists})
    content = "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    content = content + "\n" if as_lines else _dumped(noise, records)
    name = "study.jsonl" if as_lines else "study.json"
    return Written({name: content.encode()}, tuple(noise.used), "the texts", "slots", aliases=aliases)


def beaqlejs(study: Study) -> Written:
    """Write a file per listener with a record for each page, as BeaqleJS does: ratings by stimulus, then a comment."""
    noise = Noise(study, "beaqlejs", commas=False)
    systems, topics = (list(dict.fromkeys(names)) for names in (study.systems, study.topics))
    called = dict(zip(systems, ("Reference", *map(str, range(1, len(systems) - 1)), "Anchor"), strict=True))
    places = {part: at for at, part in enumerate(study.parts)}
    files: Files = {}
    for who, name in enumerate(study.raters):
        pages: list[Record] = []
        for at in noise.draw.permutation(len(topics)):
            topic = topics[at]
            given = {
                called[system]: noise.cell(places[topic, system], who, 0)
                for system in systems
                if (places[topic, system], who, 0) in study.levels
            }
            sounds = {system: f"audio/{topic}_{system}.wav" for system in called.values()}
            time = int(noise.draw.integers(9_000, 90_000))
            pages.append({"TestID": topic, "Runtime": time, "rating": given, "filename": sounds})
        pages.append({"UserName": name, "UserEmail": "", "UserComment": ""})
        files[f"{name}_2026-02-{who + 1:02d}.txt"] = json.dumps(pages).encode()
    aliases = {
        f"{topic}__{called[system]}": item
        for item, (topic, system) in zip(study.items, study.parts, strict=True)
    }
    return Written(files, tuple(noise.used), "the keys", "unnamed", aliases=aliases)
