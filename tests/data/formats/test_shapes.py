"""Exports whose shape says less than their platform's usual one: what the rows of each become, by values."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from data.errors import DataError, NoRatings
from data.formats import recognise
from data.formats.platforms.ids import split_ids
from tests.data.formats.conftest import Save, Saved


def table(names: str, rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names.split())
    writer.writerows(rows)
    return text.getvalue()


def told(saved: Saved, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row.get(column) for column in columns) for row in saved.rows]


# --- Mechanical Turk ------------------------------------------------------------------------------------------------

HIT = "HITId AssignmentId WorkerId AssignmentStatus WorkTimeInSeconds"


def batch(inputs: str, answers: str, hits: Sequence[Sequence[object]], given: Any) -> str:
    names = " ".join(
        [HIT, *(f"Input.{each}" for each in inputs.split()), *(f"Answer.{each}" for each in answers.split())]
    )
    return table(
        names,
        [
            (f"h{at}", f"a{at}{worker}", f"w{worker}", "Approved", 30, *hit, *given(at, worker))
            for at, hit in enumerate(hits)
            for worker in range(3)
        ],
    )


DIALOGUE = "Ann asked whether Bo would come to dinner, number {}"
SUMMARY = "Bo may come to dinner with Ann, version {}"


def test_the_hit_is_the_item_where_no_input_names_it(save: Save) -> None:
    hits = [(DIALOGUE.format(at // 2), SUMMARY.format(at % 3), "AB"[at % 2]) for at in range(8)]
    content = batch("dialogue summary model_type", "fluency focus", hits, lambda at, by: (at % 5 + 1, by + 1))
    saved = save(content)
    assert saved.found.kind == "ratings"
    assert told(saved, "item_id", "rater_id", "measure", "score", "system", "text", "reference_text") == [
        (f"h{at}", f"w{by}", measure, score, hit[2], hit[1], hit[0])
        for at, hit in enumerate(hits)
        for by in range(3)
        for measure, score in (("fluency", at % 5 + 1), ("focus", by + 1))
    ]
    assert {row["seconds"] for row in saved.rows} == {15}


def test_a_short_input_without_a_system_in_its_name_is_a_condition(save: Save) -> None:
    hits = [(DIALOGUE.format(at // 2), ("noisy", "clean")[at % 2]) for at in range(8)]
    saved = save(batch("dialogue background", "quality", hits, lambda at, by: ((at + by) % 5 + 1,)))
    assert {(row["item_id"], row["condition"]) for row in saved.rows} == {
        (f"h{at}", hit[1]) for at, hit in enumerate(hits)
    }


def test_a_text_per_hit_is_kept_and_the_hit_named(save: Save) -> None:
    texts = [(DIALOGUE.format(at),) for at in range(6)]
    saved = save(batch("dialogue", "quality", texts, lambda at, by: ((at + by) % 5 + 1,)))
    assert {(row["item_id"], row["text"]) for row in saved.rows} == {
        (f"h{at}", text) for at, (text,) in enumerate(texts)
    }
    again = save(batch("dialogue", "quality", texts[:3] * 2, lambda at, by: ((at + by) % 5 + 1,)))
    assert Counter(row["item_id"] for row in again.rows) == {f"h{at}": 6 for at in range(3)}


@pytest.mark.parametrize(
    ("inputs", "answers"),
    [("list_1 list_2", ("first", "second", "both", "neither")), ("system_a system_b", ("1", "2", "0"))],
)
def test_two_inputs_and_a_choice_are_a_pair(save: Save, inputs: str, answers: Sequence[str]) -> None:
    pairs = [("AW", "KW"), ("UI", "AW"), ("KW", "UI")]
    hits = [(DIALOGUE.format(at // 3), *pairs[at % 3]) for at in range(9)]
    saved = save(
        batch(f"fragment {inputs}", "choice", hits, lambda at, by: (answers[(at + by) % len(answers)],))
    )
    assert saved.found.kind == "choices"
    assert told(saved, "item_id", "rater_id", "choice", "option_a", "option_b", "text") == [
        (f"h{at}", f"w{by}", answers[(at + by) % len(answers)], hit[1], hit[2], hit[0])
        for at, hit in enumerate(hits)
        for by in range(3)
    ]


# --- lists of answers -----------------------------------------------------------------------------------------------


def test_lists_may_name_the_rater_of_each_answer(save: Save) -> None:
    records = [
        {
            "doc": f"d{at}",
            "annotations": [{"annotator": by, "fluency": (at * n) % 5 + 1} for n, by in enumerate("abc")],
        }
        for at in range(6)
    ]
    saved = save(json.dumps(records))
    assert told(saved, "item_id", "rater_id", "score") == [
        (f"d{at}", by, (at * n) % 5 + 1) for at in range(6) for n, by in enumerate("abc")
    ]
    assert "@raters" not in saved.found.mapping


def test_scores_in_an_object_of_an_answer_are_its_measures(save: Save) -> None:
    records = [
        {
            "doc": f"d{at}",
            "votes": [{"user_id": by, "scores": {"fluency": at + 1, "focus": 2}} for by in "ab"],
        }
        for at in range(4)
    ]
    assert told(save(json.dumps(records)), "item_id", "rater_id", "measure", "score") == [
        (f"d{at}", by, measure, score)
        for at in range(4)
        for by in "ab"
        for measure, score in (("fluency", at + 1), ("focus", 2))
    ]


def test_lists_of_numbers_are_slots_of_their_columns_measure_or_group(save: Save) -> None:
    records = [{"doc": f"d{at}", "fluency": [at + 1, 2], "focus": [3, at + 1]} for at in range(4)]
    saved = save(json.dumps(records))
    assert saved.found.mapping["@raters"] == "slots"
    assert Counter(told(saved, "item_id", "rater_id", "measure", "score")) == Counter(
        (f"d{at}", f"slot {place}", measure, score)
        for at, record in enumerate(records)
        for measure in ("fluency", "focus")
        for place, score in enumerate(record[measure], start=1)
    )
    of_groups = [{"doc": f"d{at}", "crowd": [at + 1, 2, 5], "experts": [3, at + 1]} for at in range(4)]
    assert Counter(told(save(json.dumps(of_groups)), "rater_group", "rater_id", "measure")) == {
        **{("crowd", f"crowd {place}", None): 4 for place in (1, 2, 3)},
        **{("experts", f"experts {place}", None): 4 for place in (1, 2)},
    }


def test_answers_in_a_list_may_be_of_several_systems(save: Save) -> None:
    records = [
        {
            "prompt_id": f"p{at}",
            "completions": [
                {"id": 10 * at + n, "model": f"m{n}", "score": (at + n + by) % 5 + 1}
                for n in range(3)
                for by in range(2)
            ],
        }
        for at in range(4)
    ]
    assert told(save(json.dumps(records)), "item_id", "system", "rater_id", "measure", "score") == [
        (f"p{at}__m{n}", f"m{n}", f"slot {by + 1}", None, (at + n + by) % 5 + 1)
        for at in range(4)
        for n in range(3)
        for by in range(2)
    ]


def test_lists_of_labels_need_a_list_of_raters(save: Save) -> None:
    records = [
        {"item": f"d{at}", "annotators": ["a", "b", "c"], "labels": ["yes", "no", "yes" if at % 2 else "no"]}
        for at in range(6)
    ]
    saved = save(json.dumps(records))
    assert saved.found.kind == "choices"
    assert told(saved, "item_id", "rater_id", "choice")[3:6] == [
        ("d1", "a", "yes"),
        ("d1", "b", "no"),
        ("d1", "c", "yes"),
    ]
    assert (
        save(json.dumps([record | {"rater": "r", "score": 3} for record in records])).found.format
        != "lists of answers"
    )


def test_boxes_are_no_answers(tmp_path: Path) -> None:
    records = [{"item": f"i{at}", "box": [at, 2, 3, 4], "mos": 1 + at / 4} for at in range(5)]
    path = tmp_path / "boxes.json"
    path.write_text(json.dumps(records))
    assert recognise(path).format != "lists of answers"


def test_vectors_and_references_are_no_answers(save: Save) -> None:
    records = [
        {
            "item": f"i{at}",
            "worker": by,
            "vote": at % 5 + 1,
            "vector": [0.1] * 300,
            "references": ["a text", "another"],
        }
        for at in range(5)
        for by in "ab"
    ]
    saved = save(json.dumps(records))
    assert told(saved, "item_id", "rater_id", "score") == [
        (f"i{at}", by, at % 5 + 1) for at in range(5) for by in "ab"
    ]


# --- AltTest and ids ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "roles"),
    [
        ([f"doc_{d}__{s}__{m}" for d in range(4) for s in "AB" for m in ("focus", "fluency")], "topic system measure"),
        ([f"d{d}/{m}/s{s}" for d in range(4) for s in "ABC" for m in ("coherence", "fluency")], "topic measure system"),
        ([f"d{d}::s{s}" for d in range(4) for s in "AB"], "topic system"),
        ([f"d{d}|{m}" for d in range(4) for m in ("coherence", "fluency")], "topic measure"),
        ([f"doc_{d}" for d in range(9)], ""),
        ([f"d{d}__p{p}__s{s}" for d in range(3) for p in range(3) for s in range(2)], ""),
        ([f"d{d}__s1__Q{q}" for d in range(4) for q in range(5)], ""),
        ([f"d{d}__{s}__Q{q}" for d in range(4) for s in ("gpt", "t5") for q in range(5)], "topic system measure"),
        ([f"{d}__{a}" for d in range(40) for a in (("food", "noise"), ("service",))[d % 2]], "topic measure"),
        ([f"{d}__{('train', 'test')[d % 2]}" for d in range(40)], ""),
        ([f"a__b{d}" for d in range(9)], ""),
        ([f"d{d}__{d}" for d in range(9)], ""),
        ([f"http://x/{d}.wav" for d in range(9)], ""),
    ],
)  # fmt: skip
def test_ids_are_split_where_their_ends_return_for_every_beginning(ids: list[str], roles: str) -> None:
    found = split_ids(ids)
    assert " ".join(found.roles if found else ()) == roles


def test_ids_of_the_alternative_annotator_test_hold_system_and_measure(save: Save) -> None:
    ids = [(f"doc_{d}", s, m) for d in range(4) for s in ("s1", "s2") for m in ("coherence", "fluency")]
    saved = save(
        json.dumps({by: {"__".join(id): at % 5 + 1 for at, id in enumerate(ids)} for by in ("x", "y")})
    )
    assert told(saved, "rater_id", "item_id", "topic", "system", "measure", "score") == [
        (by, f"{doc}__{system}", doc, system, measure, at % 5 + 1)
        for by in ("x", "y")
        for at, (doc, system, measure) in enumerate(ids)
    ]


@pytest.mark.parametrize(
    "values", [("model_a", "model_b", "tie"), ("Response 1", "Response 2"), ("left", "right")]
)
def test_names_of_positions_are_options_of_a_pair(save: Save, values: tuple[str, ...]) -> None:
    saved = save(
        json.dumps(
            {by: {f"q{at}": values[(at + n) % len(values)] for at in range(6)} for n, by in enumerate("ab")}
        )
    )
    assert saved.found.kind == "choices"
    assert {(row["option_a"], row["option_b"]) for row in saved.rows} == {values[:2]}
    assert {row["choice"] for row in saved.rows} == set(values)


def test_classes_stay_labels(save: Save) -> None:
    saved = save(
        json.dumps({by: {f"q{at}": "ABC"[(at + n) % 3] for at in range(6)} for n, by in enumerate("ab")})
    )
    assert saved.found.kind == "choices"
    assert "option_a" not in saved.found.mapping


# --- Label Studio, Argilla ------------------------------------------------------------------------------------------


def minimal(*rated: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "face": f"{at // 3}.jpg",
            "pair": at // 3 % 2,
            "id": at // 3,
            "annotator": at % 3,
            "annotation_id": at,
            "lead_time": 3,
        }
        | (rated[at % len(rated)] if rated else {})
        for at in range(12)
    ]


def test_tasks_without_results_are_no_ratings(save: Save) -> None:
    with pytest.raises(NoRatings, match="no annotation in this file holds a result"):
        save(json.dumps(minimal()))


def test_what_never_differs_within_a_task_is_no_answer(save: Save) -> None:
    saved = save(json.dumps(minimal({"mood": "sad"}, {"mood": "calm"})))
    assert saved.found.kind == "choices"
    assert told(saved, "item_id", "rater_id", "choice")[:2] == [("0", "0", "sad"), ("0", "1", "calm")]
    assert Counter(row.get("design") for row in saved.rows) == {None: 12}


def test_results_on_which_all_agree_are_answers(save: Save) -> None:
    saved = save(json.dumps(minimal({"mood": {"choices": ["sad"]}})))
    assert told(saved, "choice") == [("sad",)] * 12


def test_an_annotation_that_comes_twice_counts_once(save: Save) -> None:
    rows = minimal({"stars": 4}, {"stars": 2})
    saved = save(json.dumps([*rows, *rows[:5]]))
    assert (saved.report.kept, saved.report.set_aside) == (12, 5)
    result = {"from_name": "stars", "to_name": "t", "type": "rating", "value": {"rating": 4}}
    tasks = [
        {"id": at, "data": {"x": at}, "annotations": [{"id": 7 + at, "completed_by": 1, "result": [result]}]}
        for at in range(3)
    ]
    report = save(json.dumps([*tasks, tasks[0]])).report
    assert (report.kept, report.reasons) == (3, (("id", "the annotation stands in the file twice", 1),))


RANKED = {"from_name": "order", "to_name": "t", "type": "ranker", "value": {"ranker": {"best": ["a", "b"]}}}
RATED = {"from_name": "stars", "to_name": "t", "type": "rating", "value": {"rating": 4}}


def test_rankings_are_read_where_nothing_else_is_answered(save: Save) -> None:
    def tasks(*results: dict[str, Any]) -> str:
        return json.dumps(
            [
                {
                    "id": at,
                    "data": {"x": at},
                    "annotations": [{"completed_by": 1, "lead_time": 8, "result": [*results]}],
                }
                for at in range(3)
            ]
        )

    ranked = save(tasks(RANKED))
    assert ranked.found.kind == "rankings"
    assert told(ranked, "item_id", "option", "rank")[:2] == [("0", "a", 1), ("0", "b", 2)]
    saved = save(tasks(RANKED, RATED))
    assert told(saved, "score") == [(4,)] * 3
    assert any("Rankings are not taken together with" in note for note in saved.found.notes)
    ranks = [{"value": name, "rank": at} for at, name in enumerate("ab", start=1)]
    given = {"order": [{"value": ranks, "user_id": f"u{user}"} for user in range(2)]}
    records = [{"id": f"r{at}", "fields": {"text": "x"}, "responses": given} for at in range(3)]
    argilla = save(json.dumps(records))
    assert argilla.found.kind == "rankings"
    assert told(argilla, "item_id", "rater_id", "option", "rank")[:3] == [
        ("r0", "u0", "a", 1),
        ("r0", "u0", "b", 2),
        ("r0", "u1", "a", 1),
    ]


def test_lists_of_several_classes_are_no_ranking(save: Save) -> None:
    classes = {**RANKED, "value": {"ranker": {"good": ["a"], "bad": ["b"]}}}
    tasks = [
        {"id": at, "data": {"x": at}, "annotations": [{"completed_by": 1, "result": [classes]}]}
        for at in range(3)
    ]
    with pytest.raises(DataError):
        save(json.dumps(tasks))


def test_rankings_in_label_studio_tables_are_read(save: Save) -> None:
    head = "id,annotator,annotation_id,lead_time,prompt,order"
    rows = [
        f"{at % 3},u{at % 2},{at},9,p{at % 3}," + '"{""ranker"": {""_"": [""b"", ""a""]}}"' for at in range(6)
    ]
    saved = save("\n".join([head, *rows]) + "\n")
    assert saved.found.kind == "rankings"
    assert told(saved, "option", "rank")[:2] == [("b", 1), ("a", 2)]


def both(unit: int, by: int) -> str:
    return f'["a{unit}{by // 2}", "b{unit}"]'


# --- CrowdFlower ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        (lambda unit, by: f"the passage of unit {unit} in which something is said{by // 2 * ' again'}", None),
        (lambda unit, by: json.dumps([f"b{unit}", f"a{unit}{by // 2}"]), both),
        (lambda unit, by: f"b{unit}\na{unit}{by // 2}", both),
    ],
    ids=["passages", "lists", "ticked boxes"],
)  # fmt: skip
def test_many_different_answers_are_labels(save: Save, answer: Any, label: Any) -> None:
    rows = [
        (unit, "0.9", f"w{by}", answer(unit, by), f"note {unit} {by}", f"text {unit}")
        for unit in range(25)
        for by in range(3)
    ]
    saved = save(table("_unit_id _trust _worker_id chosen comment text", rows))
    kind, column = ("label sets", "labels") if label else ("choices", "choice")
    assert saved.found.kind == kind
    assert told(saved, "item_id", "rater_id", column) == [
        (str(unit), f"w{by}", (label or answer)(unit, by)) for unit in range(25) for by in range(3)
    ]
    assert any("'comment'" in note for note in saved.found.notes)


# --- others ---------------------------------------------------------------------------------------------------------


def test_tutorials_of_appraise_are_check_rows(save: Save) -> None:
    rows = [
        f"ann,sys{s},{at},TGT,eng,deu,{40 + at + s},{doc},False"
        for s in (1, 2)
        for at in range(3)
        for doc in (f"news.{at}#sys{s}", f"tutorial.{at}")
    ]
    saved = save("\n".join(rows) + "\n")
    assert (saved.report.kept, saved.report.check_rows) == (6, 6)


@pytest.mark.parametrize("mark", ["true", "1", None])
def test_potato_marks_a_point_of_a_scale_in_its_column(save: Save, mark: str | None) -> None:
    names = "user instance_id " + " ".join(f"clarity:::scale_{point}" for point in range(1, 5))
    rows = [
        (
            f"u{by}",
            f"i{at}",
            *((mark or point) if point == (at + by) % 4 + 1 else "" for point in range(1, 5)),
        )
        for by in range(2)
        for at in range(6)
    ]
    assert told(save(table(names, rows)), "rater_id", "item_id", "score") == [
        (f"u{by}", f"i{at}", (at + by) % 4 + 1) for by in range(2) for at in range(6)
    ]


def test_a_clip_under_two_systems_is_two_items_of_an_experiment(save: Save) -> None:
    rows = [
        (f"{at % 3}.wav", "AB"[at // 3], (at + by) % 5 + 1, f"p{by}", "study")
        for by in range(3)
        for at in range(6)
    ]
    saved = save(table("clip system slider.response participant expName", rows))
    assert saved.found.format == "PsychoPy"
    assert told(saved, "item_id", "system", "rater_id", "score") == [
        (f"{at % 3}.wav__{'AB'[at // 3]}", "AB"[at // 3], f"p{by}", (at + by) % 5 + 1)
        for by in range(3)
        for at in range(6)
    ]
