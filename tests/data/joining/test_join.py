"""A second file added to a data set: against joins made by hand with the csv module, and what must not match."""

import csv
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.dataset import Dataset
from data.engines.schema import table_of
from data.errors import BadMapping, NotFound, OverLimit
from data.joining.table import Joined
from data.settings import Settings
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE

WriteCsv = Callable[..., Path]
MINE = "browser:mine"
RATINGS = [(f"clip_{item}", f"w{rater}", (item * rater) % 5 + 1) for item in range(6) for rater in range(4)]
PROLIFIC = (
    "Submission id",
    "Participant id",
    "Status",
    "Age",
    "Country of residence",
)


def rows_of(store: Store, dataset: Dataset) -> list[dict[str, Any]]:
    with store._database.cursor() as cursor:
        cursor.execute(f'SELECT * EXCLUDE ("row") FROM {table_of(dataset.id)} ORDER BY "row"')
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def saved(store: Store, joined: Joined, dataset: Dataset) -> Dataset:
    return store.add(
        joined.path, joined.kind, joined.mapping, "new", MINE, dataset.id, made_from=joined.made_from
    )


@pytest.fixture
def ratings(store: Store, write_csv: WriteCsv) -> Dataset:
    return store.add(write_csv(("item", "rater", "score"), RATINGS), workspace=MINE)


def proposed(store: Store, dataset: Dataset, path: Path) -> Any:
    return store.joinable(dataset, path, store.sniff(path)).proposals[0]


def test_gold_of_a_real_study_is_the_join_by_hand(store: Store, shared_data: Path) -> None:
    answers = shared_data / "formats" / "crowdkit_task_worker_label.csv"
    truth = shared_data / "formats" / "crowdkit_ground_truth.csv"
    dataset = store.add(answers, workspace=MINE)
    guess = proposed(store, dataset, truth)
    assert dict(guess.mapping) == {"item_id": "task", "gold": "true_label"}
    joined = store.join(dataset, truth, guess.kind, guess.mapping)
    new = saved(store, joined, dataset)
    gold = {row["task"]: row["true_label"] for row in read(truth)}
    assert rows_of(store, new) == [
        {"item_id": row["task"], "rater_id": row["worker"], "choice": row["label"], "gold": gold[row["task"]]}
        for row in read(answers)
    ]
    assert joined.matching[0].both == len(gold)


@EVERY_ENGINE
def test_the_old_version_stays_as_it_is(store: Store, ratings: Dataset, write_csv: WriteCsv) -> None:
    key, before = store.link(ratings.id), rows_of(store, ratings)
    path = write_csv(("clip", "pesq"), [("clip_1", 2.5)], "more.csv")
    joined = store.join(
        ratings, path, "items of ratings", {"item_id": "clip", "pesq": "pesq"}, file="more.csv"
    )
    new = saved(store, joined, ratings)
    assert store.by_key(key) == store.get(ratings.id) == ratings
    assert rows_of(store, ratings) == before
    assert new.id != ratings.id
    assert new.replaces == ratings.id
    report = store.report(new.id)
    assert report is not None
    assert report["made_from"][0]["sha256"] == ratings.sha256
    assert report["made_from"][1]["mapping"] == {"item_id": "clip", "pesq": "pesq"}
    assert report["made_from"][1]["file"] == "more.csv"


def test_nobody_else_saves_a_new_version(store: Store, ratings: Dataset, write_csv: WriteCsv) -> None:
    path = write_csv(("clip", "pesq"), [("clip_1", 2.5)], "more.csv")
    joined = store.join(ratings, path, "items of ratings", {"item_id": "clip", "pesq": "pesq"})
    with pytest.raises(NotFound):
        store.add(joined.path, joined.kind, joined.mapping, "new", "browser:other", ratings.id)


def test_what_does_not_match_is_reported_and_nothing_is_matched_by_guess(
    store: Store, ratings: Dataset, write_csv: WriteCsv
) -> None:
    told = [
        ("clip_1", 1.5),
        ("Clip_2", 2.5),
        ("clip 3", 3.5),
        ("clip_04", 4.5),
        ("other", 9.0),
        ("clip_1", 7.0),
    ]
    path = write_csv(("name", "pesq"), told, "more.csv")
    joined = store.join(ratings, path, "items of ratings", {"item_id": "name", "pesq": "pesq"})
    (found,) = joined.matching
    assert (found.own, found.new, found.both) == (6, 5, 1)
    assert found.own_only == ("clip_0", "clip_2", "clip_3", "clip_4", "clip_5")
    assert found.new_only == ("Clip_2", "clip 3", "clip_04", "other")
    assert set(found.pairs) == {("Clip_2", "clip_2"), ("clip_04", "clip_4")}
    assert found.alike == 2
    assert joined.addition.rejects.line.tolist() == [7]
    pesq = {row["item_id"]: row["pesq"] for row in rows_of(store, saved(store, joined, ratings))}
    assert pesq == {"clip_1": 1.5} | dict.fromkeys(("clip_0", "clip_2", "clip_3", "clip_4", "clip_5"))


def test_raters_who_returned_are_set_aside_by_the_switch(
    store: Store, ratings: Dataset, write_csv: WriteCsv
) -> None:
    people = [
        ("s1", "w0", "APPROVED", 31, "Chile"),
        ("s2", "w1", "RETURNED", 44, "Chile"),
        ("s3", "w2", "TIMED-OUT", 25, "Ghana"),
        ("s4", "w3", "REJECTED", 25, "Ghana"),
        ("s5", "w9", "APPROVED", 31, "Ghana"),
    ]
    path = write_csv(PROLIFIC, people, "prolific_export.csv")
    guess = proposed(store, ratings, path)
    assert guess.kind == "raters of ratings"
    assert dict(guess.mapping) == {
        "rater_id": "Participant id",
        "status": "Status",
        "rater_age": "Age",
        "rater_countryofresidence": "Country of residence",
    }
    kept = store.join(ratings, path, guess.kind, guess.mapping)
    assert kept.report.kept == len(RATINGS)
    aside = store.join(ratings, path, guess.kind, guess.mapping, {"@rejected": "set aside"})
    assert aside.report.kept == sum(rater == "w0" for _, rater, _ in RATINGS)
    assert aside.report.reasons == (("status", "the assignment was rejected, returned or timed out", 18),)
    ages = {row["rater_id"]: row["rater_age"] for row in rows_of(store, saved(store, kept, ratings))}
    assert ages == {"w0": "31", "w1": "44", "w2": "25", "w3": "25"}


def test_the_key_is_found_by_its_values(store: Store, ratings: Dataset, write_csv: WriteCsv) -> None:
    told = [(f"row{at}", at * 1.25, f"clip_{at}") for at in range(6)]
    guess = proposed(store, ratings, write_csv(("item", "pesq", "wave"), told, "more.csv"))
    assert (guess.kind, dict(guess.mapping)) == ("items of ratings", {"item_id": "wave", "pesq": "pesq"})


def test_changes_of_a_joined_column_are_reported(store: Store, write_csv: WriteCsv) -> None:
    rows = [("a", "w1", 1, "old"), ("a", "w2", 2, "old"), ("b", "w1", 3, "old"), ("c", "w1", 3, "old")]
    dataset = store.add(write_csv(("item", "rater", "score", "system"), rows), workspace=MINE)
    path = write_csv(("item", "system"), [("a", "new"), ("b", "old"), ("c", "")], "more.csv")
    joined = store.join(dataset, path, "items of ratings", {"item_id": "item", "system": "system"})
    assert joined.changed == {"system": 2}
    assert [row["system"] for row in rows_of(store, saved(store, joined, dataset))] == [
        "new",
        "new",
        "old",
        "old",
    ]


@EVERY_ENGINE
def test_two_groups_of_a_real_study_are_its_whole(
    store: Store, shared_data: Path, write_csv: WriteCsv
) -> None:
    whole = read(shared_data / "speech_mos_lab_vs_crowd.csv")[::7]
    columns = ("item", "rater", "score", "system", "check", "seconds")

    def part(group: str) -> Path:
        rows = [[row[name] for name in columns] for row in whole if row["group"] == group]
        return write_csv(columns, rows, f"{group}.csv")

    groups = sorted({row["group"] for row in whole})
    as_they_are = {
        "item_id": "item",
        "rater_id": "rater",
        "score": "score",
        "system": "system",
        "check": "check",
    }
    as_they_are |= {"seconds": "seconds", "@seconds": "rating"}
    dataset = store.add(part(groups[0]), "ratings", as_they_are, workspace=MINE)
    for group in groups[1:2]:
        guess = store.joinable(dataset, part(group), store.sniff(part(group))).proposals[0]
        assert guess.kind == "ratings"
        joined = store.join(
            dataset,
            part(group),
            guess.kind,
            {**guess.mapping, "@seconds": "rating"},
            own={"rater_group": groups[0]},
            new={"rater_group": group},
        )
        new = saved(store, joined, dataset)
    told = Counter(
        (row["item_id"], row["rater_id"], row["rater_group"], row["score"], row["seconds"])
        for row in rows_of(store, new)
    )
    assert told == Counter(
        (
            row["item"],
            row["rater"],
            row["group"],
            float(row["score"]),
            float(row["seconds"]) if row["seconds"] else None,
        )
        for row in whole
        if row["group"] in groups[:2]
    )
    items = next(each for each in joined.matching if each.key == ("item_id",))
    held = [{row["item"] for row in whole if row["group"] == group} for group in groups[:2]]
    assert (items.own, items.new, items.both) == (len(held[0]), len(held[1]), len(held[0] & held[1]))


def test_rows_that_need_a_group_say_so(store: Store, ratings: Dataset, write_csv: WriteCsv) -> None:
    path = write_csv(("item", "rater", "score", "group"), [("clip_1", "x", 3, "lab")], "more.csv")
    mapping = {"item_id": "item", "rater_id": "rater", "score": "score", "rater_group": "group"}
    with pytest.raises(BadMapping, match="the data set has no column for 'rater_group'"):
        store.join(ratings, path, "ratings", mapping)
    joined = store.join(ratings, path, "ratings", mapping, own={"rater_group": "crowd"})
    assert Counter(row["rater_group"] for row in rows_of(store, saved(store, joined, ratings))) == {
        "crowd": len(RATINGS),
        "lab": 1,
    }


HOSTILE = (
    'a"b',
    "semi;colon",
    "new\nline",
    "=1+1",
    "'; DROP TABLE datasets --",
    "<b>x</b>",
    "ключ",
    "a,b",
    "NULL",
)


def test_hostile_names_and_texts_come_through_unchanged(store: Store, write_csv: WriteCsv) -> None:
    rows = [(name, f"r{name}{at}", at) for name in HOSTILE for at in (1, 2)]
    dataset = store.add(
        write_csv(("item", "rater", "score"), rows),
        "ratings",
        {"item_id": "item", "rater_id": "rater", "score": "score"},
        workspace=MINE,
    )
    header = ("item", "text", 'na"me; of, it')
    told = [(name, f" {name} \r\n;;;,{name}\t", at / 7) for at, name in enumerate(HOSTILE)]
    mapping = {"item_id": "item", "text": "text", header[2]: header[2]}
    joined = store.join(dataset, write_csv(header, told, "more.csv"), "items of ratings", mapping)
    assert joined.matching[0].both == len(HOSTILE)
    held = {
        (row["item_id"], row["text"], row[header[2]]) for row in rows_of(store, saved(store, joined, dataset))
    }
    assert held == set(told)


def test_nothing_that_matches_is_refused_with_both_sides(
    store: Store, ratings: Dataset, write_csv: WriteCsv
) -> None:
    path = write_csv(("item", "pesq"), [("CLIP_1", 2.5)], "more.csv")
    with pytest.raises(BadMapping, match=r"'CLIP_1'.*'clip_0'"):
        store.join(ratings, path, "items of ratings", {"item_id": "item", "pesq": "pesq"})
    with pytest.raises(BadMapping, match="nothing besides 'item_id'"):
        store.join(
            ratings, write_csv(("item", "x"), [("clip_1", 1)]), "items of ratings", {"item_id": "item"}
        )


def test_switches_that_mean_something_else_are_refused(
    store: Store, ratings: Dataset, write_csv: WriteCsv
) -> None:
    path = write_csv(("item", "a", "b"), [("clip_1", 2, 3)], "more.csv")
    mapping = {"@form": "rater columns", "item_id": "item", "score": ("a", "b"), "@raters": "slots"}
    with pytest.raises(BadMapping, match="@raters is 'persons' in the data set and 'slots' in the file"):
        store.join(ratings, path, "ratings", mapping)


def test_limits_hold_for_both_together(settings: Settings, write_csv: WriteCsv) -> None:
    with Store(settings=replace(settings, rows=30, unpacked_size=2_000)) as store:
        dataset = store.add(write_csv(("item", "rater", "score"), RATINGS), workspace=MINE)
        more = write_csv(("item", "rater", "score"), [("new", f"x{at}", 1) for at in range(7)], "more.csv")
        mapping = {"item_id": "item", "rater_id": "rater", "score": "score"}
        with pytest.raises(OverLimit, match="together they have 31 rows"):
            store.join(dataset, more, "ratings", mapping)
        long = write_csv(("item", "text"), [(f"clip_{at}", "x" * 100) for at in range(6)], "text.csv")
        with pytest.raises(OverLimit, match="leave the column of texts out"):
            store.join(dataset, long, "items of ratings", {"item_id": "item", "text": "text"})
        assert [folder for folder in store.spool.folder.iterdir() if folder.name.endswith("-work")] == []
        assert store.datasets(MINE) == [dataset]


def test_gold_of_documents_has_two_keys(store: Store, write_csv: WriteCsv) -> None:
    rows = [
        (rater, event, document, "s1", (event + document) % 2)
        for rater in "ab"
        for event in (1, 2)
        for document in (10, 11)
    ]
    header = ("rater", "event", "document", "surrogate", "judgment")
    dataset = store.add(write_csv(header, rows), "relevance", workspace=MINE)
    qrels = write_csv(("query", "doc", "rel"), [(1, 10, 1), (1, 11, 0), (2, 10, 0)], "qrels.csv")
    mapping = {"event_id": "query", "document_id": "doc", "gold": "rel"}
    assert dict(proposed(store, dataset, qrels).mapping) == mapping
    joined = store.join(dataset, qrels, "documents of relevance", mapping)
    assert (joined.matching[0].both, joined.matching[0].own_only) == (3, ("2 / 11",))
    gold = {
        (row["event_id"], row["document_id"]): row["gold"]
        for row in rows_of(store, saved(store, joined, dataset))
    }
    assert gold == {("1", "10"): 1, ("1", "11"): 0, ("2", "10"): 0, ("2", "11"): None}


@pytest.mark.journey
def test_a_server_reads_both_in_a_process_of_its_own(settings: Settings, write_csv: WriteCsv) -> None:
    with Store(settings=settings, isolated=True) as store:
        dataset = store.add(write_csv(("item", "rater", "score"), RATINGS), workspace=MINE)
        path = write_csv(("clip", "pesq"), [(f"clip_{at}", at * 1.5) for at in range(6)], "more.csv")
        guess = proposed(store, dataset, path)
        joined = store.join(dataset, path, guess.kind, guess.mapping)
        assert joined.matching[0].both == 6
        assert saved(store, joined, dataset).has("pesq")


STORIES = ("story", "summary_author", "question_author", "question", "answer", "judge")


@pytest.fixture
def comprehension(store: Store, write_csv: WriteCsv) -> Dataset:
    rows = [
        (story, summary, asked, question, "RPIN"[(question + len(story)) % 4], f"j{question}")
        for story in ("sea", "mountain")
        for summary in ("anna", "system A")
        for asked in ("anna", "bert")
        for question in (1, 2)
    ]
    return store.add(write_csv(STORIES, rows), "comprehension", workspace=MINE)


TOLD_OF_COMPREHENSION = {
    "stories": (("story", "type"), [("sea", "factual"), ("mountain", "not factual")], "story_type", 16),
    "summaries": (
        ("story", "author", "summary"),
        [("sea", "anna", "The sea is wet."), ("sea", "system A", "Wet."), ("moon", "anna", "Dry.")],
        "summary_text",
        8,
    ),
    "authors": (("author", "kind"), [("anna", "person"), ("system A", "machine")], "author_kind", 16),
    "questions": (
        ("story", "question_author", "question", "question_text"),
        [("sea", "anna", 1, "How wet?"), ("mountain", "bert", 2, "How high?")],
        "question_text",
        4,
    ),
    "judges": (("judge", "age", "country"), [("j1", 31, "Chile"), ("j3", 44, "Ghana")], "rater_age", 8),
}


@pytest.mark.parametrize("what", TOLD_OF_COMPREHENSION)
def test_what_is_known_of_a_comprehension_study_is_joined(
    store: Store, comprehension: Dataset, write_csv: WriteCsv, what: str
) -> None:
    header, rows, gained, filled = TOLD_OF_COMPREHENSION[what]
    path = write_csv(header, rows, "more.csv")
    guess = proposed(store, comprehension, path)
    assert guess.kind == f"{what} of comprehension"
    joined = store.join(comprehension, path, guess.kind, guess.mapping)
    held = [row[gained] for row in rows_of(store, saved(store, joined, comprehension))]
    assert (len(held), sum(cell is not None for cell in held)) == (16, filled)


@pytest.fixture
def relevance(store: Store, write_csv: WriteCsv) -> Dataset:
    rows = [
        (rater, event, document, surrogate, (event + document) % 2)
        for rater in ("ann", "bob")
        for event in (1, 2)
        for document in (10, 11)
        for surrogate in ("Lead", "Topiary", "Full Text")
    ]
    header = ("rater", "event", "document", "surrogate", "judgment")
    return store.add(write_csv(header, rows), "relevance", workspace=MINE)


def test_a_list_of_participants_joins_a_relevance_study(
    store: Store, relevance: Dataset, write_csv: WriteCsv
) -> None:
    people = [
        ("s1", "ann", "APPROVED", 31, "Chile"),
        ("s2", "bob", "RETURNED", 44, "Ghana"),
        ("s3", "eve", "APPROVED", 25, "Ghana"),
    ]
    path = write_csv(PROLIFIC, people, "prolific_export.csv")
    guess = proposed(store, relevance, path)
    assert (guess.kind, dict(guess.mapping)) == (
        "raters of relevance",
        {
            "rater_id": "Participant id",
            "status": "Status",
            "rater_age": "Age",
            "rater_countryofresidence": "Country of residence",
        },
    )
    kept = store.join(relevance, path, guess.kind, guess.mapping)
    assert any(warning.startswith("12 judgments come from assignments") for warning in kept.report.warnings)
    assert any(note.startswith("Attributes of raters are kept") for note in kept.report.notes)
    new = saved(store, kept, relevance)
    assert new.named("rater attribute") == ("rater_age", "rater_countryofresidence")
    assert Counter((row["rater_id"], row["rater_age"]) for row in rows_of(store, new)) == {
        ("ann", "31"): 12,
        ("bob", "44"): 12,
    }
    aside = store.join(relevance, path, guess.kind, guess.mapping, {"@rejected": "set aside"})
    assert aside.report.kept == 12
    assert aside.report.reasons == (("status", "the assignment was rejected, returned or timed out", 12),)


TOLD_OF_RELEVANCE = {
    "documents": (
        ("event", "document", "gold", "words"),
        [(1, 10, "no", 310), (1, 11, "yes", 290), (2, 10, "yes", 305)],
        {"gold": [0, 1, 1], "words": [310, 290, 305]},
    ),
    "surrogates": (
        ("event", "document", "surrogate", "rouge"),
        [(1, 10, "Lead", 0.25), (1, 10, "Topiary", 0.5), (2, 11, "Lead", 0.75)],
        {"rouge": [0.25, 0.5, 0.75]},
    ),
}


@pytest.mark.parametrize("what", TOLD_OF_RELEVANCE)
def test_what_is_known_of_documents_and_surrogates_is_joined(
    store: Store, relevance: Dataset, write_csv: WriteCsv, what: str
) -> None:
    header, rows, told = TOLD_OF_RELEVANCE[what]
    path = write_csv(header, rows, "more.csv")
    guess = proposed(store, relevance, path)
    assert guess.kind == f"{what} of relevance"
    new = saved(store, store.join(relevance, path, guess.kind, guess.mapping), relevance)
    key = header[: len(header) - len(told)]
    place = {tuple(map(str, row[: len(key)])): at for at, row in enumerate(rows)}
    stored = {"event": "event_id", "document": "document_id", "surrogate": "surrogate"}
    for row in rows_of(store, new):
        at = place.get(tuple(row[stored[name]] for name in key))
        assert {name: row[name] for name in told} == {
            name: None if at is None else values[at] for name, values in told.items()
        }
    assert new.named("item number") == header[-1:]


def test_gold_in_other_words_is_offered_the_labels(store: Store, write_csv: WriteCsv) -> None:
    labels = [
        (f"t{task}", f"w{worker}", ("no", "yes")[task % 2]) for task in range(12) for worker in range(3)
    ]
    dataset = store.add(write_csv(("task", "worker", "label"), labels), workspace=MINE)
    path = write_csv(("task", "gold"), [(f"t{task}", task % 2) for task in range(12)], "gold.csv")
    guess = proposed(store, dataset, path)
    assert dict(guess.mapping) == {"item_id": "task", "gold": "gold", "@values gold": ("0", "no", "1", "yes")}
    new = saved(store, store.join(dataset, path, guess.kind, guess.mapping), dataset)
    assert all(row["gold"] == row["choice"] for row in rows_of(store, new))


def test_labels_of_a_later_batch_are_offered_those_of_the_study(store: Store, write_csv: WriteCsv) -> None:
    def batch(words: tuple[str, str], worker: str, name: str) -> Path:
        rows = [(f"t{task}", f"{worker}{at}", words[task % 2]) for task in range(12) for at in range(3)]
        return write_csv(("task", "worker", "label"), rows, name)

    dataset = store.add(batch(("no", "yes"), "w", "first.csv"), workspace=MINE)
    later = batch(("0", "1"), "x", "later.csv")
    guess = store.joinable(dataset, later, store.sniff(later)).of("choices")
    assert guess.mapping["@values choice"] == ("0", "no", "1", "yes")
    new = saved(store, store.join(dataset, later, "choices", guess.mapping), dataset)
    assert Counter(row["choice"] for row in rows_of(store, new)) == {"no": 36, "yes": 36}
    other = batch(("cat", "dog"), "x", "other.csv")
    notes = store.joinable(dataset, other, store.sniff(other)).of("choices").notes
    assert any('no label "cat" or "dog": say' in note for note in notes)


def test_graded_gold_of_documents_is_offered_yes_and_no(store: Store, write_csv: WriteCsv) -> None:
    rows = [(rater, 1, document, "s", document % 2) for rater in "ab" for document in (10, 11, 12)]
    header = ("rater", "event", "document", "surrogate", "judgment")
    dataset = store.add(write_csv(header, rows), "relevance", workspace=MINE)
    qrels = write_csv(("event", "document", "gold"), [(1, 10, 0), (1, 11, 2), (1, 12, 1)], "qrels.csv")
    guess = proposed(store, dataset, qrels)
    assert guess.mapping["@values gold"] == ("0", "0", "2", "1", "1", "1")
    new = saved(store, store.join(dataset, qrels, guess.kind, guess.mapping), dataset)
    assert {row["document_id"]: row["gold"] for row in rows_of(store, new)} == {"10": 0, "11": 1, "12": 1}


def test_several_files_are_added_as_one(store: Store, ratings: Dataset, write_csv: WriteCsv) -> None:
    parts = [
        (
            f"{at}.csv",
            write_csv(("clip", "pesq"), [(f"clip_{at}", at + 0.5), (f"clip_{at + 3}", 4)], f"{at}.csv"),
        )
        for at in range(2)
    ]
    path = store.spool.keep_as_archive(parts)
    guess = proposed(store, ratings, path)
    assert guess.kind == "items of ratings"
    joined = store.join(ratings, path, guess.kind, guess.mapping)
    pesq = {row["item_id"]: row["pesq"] for row in rows_of(store, saved(store, joined, ratings))}
    assert pesq == {"clip_0": 0.5, "clip_1": 1.5, "clip_2": None, "clip_3": 4, "clip_4": 4, "clip_5": None}
