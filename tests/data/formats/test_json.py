"""JSON and JSON lines: what tools write, small enough to convert by eye, and what nobody should have written."""

import json
import random
from typing import Any

import pytest

from data.errors import DataError, OverLimit, UnreadableFile
from data.formats.files.records import LARGEST, split
from data.formats.parts.format import Aside
from tests.data.formats.conftest import Save


def task(number: int, *annotations: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": number,
        "data": {"clip_id": f"clip {number}", "text": "x"},
        "annotations": list(annotations),
    }


def annotation(by: Any, *results: tuple[str, str, Any], cancelled: bool = False) -> dict[str, Any]:
    names = {"rating": "rating", "choices": "choices", "number": "number", "pairwise": "selected"}
    return {
        "completed_by": by,
        "was_cancelled": cancelled,
        "lead_time": 12.0,
        "result": [
            {"from_name": name, "to_name": "t", "type": kind, "value": {names.get(kind, kind): value}}
            for name, kind, value in results
        ],
    }


LABEL_STUDIO = [
    task(
        1,
        annotation(7, ("fluency", "rating", 4), ("length", "number", 2)),
        annotation(
            {"id": 8, "email": "b@example.invalid"}, ("fluency", "rating", 5), ("length", "number", 1)
        ),
    ),
    task(
        2,
        annotation(7, ("fluency", "rating", 2), ("comment", "textarea", ["hm"])),
        annotation(8, cancelled=True),
    ),
]
CHOICES = [
    task(
        1, annotation(1, ("mood", "choices", ["sad"])), annotation(2, ("mood", "choices", ["calm", "angry"]))
    ),
    task(
        2,
        annotation(1, ("mood", "taxonomy", [["good", "joy"], ["bad"]])),
        annotation(2, ("mood", "choices", ["sad"])),
    ),
]
PAIRS = [
    task(1, annotation(1, ("pw", "pairwise", "left")), annotation(2, ("pw", "pairwise", "right"))),
    task(2, annotation(1, ("pw", "pairwise", "left"))),
]
JSON_MIN = [
    {"id": 1, "annotation_id": 1, "annotator": 7, "lead_time": 12.5, "rating": 4, "audio": "a.wav"},
    {"id": 1, "annotation_id": 2, "annotator": 8, "lead_time": 10, "rating": 5, "audio": "a.wav"},
    {"id": 2, "annotation_id": 3, "annotator": 7, "lead_time": 8, "rating": 2, "audio": "b.wav"},
    {"id": 2, "annotation_id": 4, "annotator": 8, "lead_time": 6, "rating": 1, "audio": "b.wav"},
]
PRODIGY = [
    {"text": "x", "_input_hash": 1, "answer": "accept", "_session_id": "news-anna"},
    {"text": "x", "_input_hash": 1, "answer": "reject", "_session_id": "news-bert"},
    {"text": "y", "_input_hash": 2, "answer": "accept", "_session_id": "news-anna"},
    {"text": "y", "_input_hash": 2, "answer": "ignore", "_session_id": "news-bert"},
]


def response(value: Any, user: str, status: str = "submitted") -> dict[str, Any]:
    return {"value": value, "user_id": user, "status": status}


ARGILLA = [
    {
        "id": "r1",
        "fields": {"text": "x"},
        "responses": {
            "quality": [response(4, "u1"), response(5, "u2")],
            "why": [response("so many words", "u1")],
        },
    },
    {
        "id": "r2",
        "fields": {"text": "y"},
        "responses": {"quality": [response(2, "u1"), response(1, "u2", "draft")]},
    },
]
ARGILLA_1 = [
    {
        "id": "r1",
        "fields": {"text": "x"},
        "responses": [
            {"user_id": "u1", "status": "submitted", "values": {"quality": {"value": 4}}},
            {"user_id": "u2", "status": "submitted", "values": {"quality": {"value": 5}}},
        ],
    },
    {
        "id": "r2",
        "fields": {"text": "y"},
        "responses": [{"user_id": "u1", "status": "submitted", "values": {"quality": {"value": 2}}}],
    },
]
ARGILLA_HUB = [
    {
        "id": item,
        "text": "x",
        "quality.responses": values,
        "quality.responses.users": users,
        "quality.responses.status": ["submitted"] * len(users),
    }
    for item, values, users in (("r1", [4, 5], ["u1", "u2"]), ("r2", [2], ["u1"]))
]
DOCCANO = [
    {"id": 1, "text": "x", "label": ["good"], "annotator": "anna"},
    {"id": 2, "text": "y", "label": ["bad", "angry"], "annotator": "anna"},
    {"id": 1, "text": "x", "label": [], "annotator": "bert"},
]
POTATO = [
    {"user_id": user, "instance_id": item, "label_annotations": {"quality": {"scale": score}}}
    for user, item, score in (("u1", "i1", "4"), ("u1", "i2", "2"), ("u2", "i1", "5"), ("u2", "i2", "1"))
]
POTATO_STATE = {
    "user_id": "u1",
    "instance_id_ordering": ["i1", "i2", "i3"],
    "instance_id_to_label_to_value": {
        "i1": [[{"schema": "clarity", "name": "4"}, "4"], [{"schema": "mood", "name": "calm"}, "true"]],
        "i2": [[{"schema": "clarity", "name": "2"}, True]],
        "i3": [],
    },
}
ALT_TEST = {"anna": {"i1": 4, "i2": 2}, "bert": {"i1": 5, "i2": None}}
BATTLES = [
    {
        "question_id": "q1",
        "model_a": "gpt",
        "model_b": "llama",
        "winner": "model_a",
        "judge": "j1",
        "turn": 1,
    },
    {
        "question_id": "q2",
        "model_a": "llama",
        "model_b": "gpt",
        "winner": "tie (bothbad)",
        "judge": "j2",
        "turn": 1,
    },
]
LANGFUSE = {
    "data": [
        {
            "id": "s1",
            "traceId": "t1",
            "name": "help",
            "value": 0.8,
            "source": "ANNOTATION",
            "authorUserId": "anna",
        },
        {"id": "s2", "traceId": "t1", "name": "help", "value": 0.5, "source": "EVAL", "authorUserId": None},
    ],
    "meta": {"page": 1, "totalItems": 2},
}
LANGSMITH = [
    {"id": "run1", "example_id": "e1", "session_name": "gpt", "feedback": {"correctness": 1}},
    {"id": "run2", "example_id": "e1", "session_name": "llama", "feedback": {"correctness": 0}},
]
FEEDBACK = [
    {
        "id": f"f{at}",
        "created_at": "2024-01-01T10:00:00Z",
        "run_id": run,
        "key": key,
        "score": score,
        "value": None,
        "feedback_source": {"type": source, "user_id": user},
    }
    for at, (run, key, score, source, user) in enumerate(
        [
            ("run1", "help", 1, "app", "anna"),
            ("run1", "style", 0.5, "model", None),
            ("run2", "help", False, "app", "bert"),
            ("run2", "style", 0.75, "model", None),
            ("run2", "note", None, "app", "bert"),
        ]
    )
]
FEEDBACK_OF_RUNS = [
    {
        "id": f"run{at}",
        "reference_example_id": "e1",
        "session_name": system,
        "feedback": [
            {"key": "correct", "score": score, "feedback_source": {"type": "app", "user_id": "anna"}},
            {"key": "comment", "score": None, "comment": "so many words"},
        ],
    }
    for at, (system, score) in enumerate([("gpt", 1), ("llama", 0)])
]
MEANS_OF_RUNS = [
    {
        "id": f"run{at}",
        "reference_example_id": "e1",
        "session_name": system,
        "feedback_stats": {"correct": {"n": 3, "avg": mean}},
    }
    for at, (system, mean) in enumerate([("gpt", 0.75), ("llama", 0.5)])
]
LISTS = [
    {
        "id": item,
        "model_id": system,
        "expert_annotations": [{"coherence": first, "fluency": 2}, {"coherence": 5, "fluency": 3}],
        "turker_annotations": [{"coherence": 1, "fluency": 4}],
    }
    for item, system, first in (("d1", "M1", 4), ("d1", "M2", 3), ("d2", "M1", 1))
]
SCORES = [("r1", "u1", 4.0, None), ("r1", "u2", 5.0, None), ("r2", "u1", 2.0, None)]
FLAT = [
    {"clip": "a", "worker": "w1", "vote": 4},
    {"clip": "a", "worker": "w2", "vote": 5.5},
    {"clip": "b", "worker": "w1", "vote": None},
    {"vote": 1, "worker": "w2", "clip": "b"},
]
PANDAS = {
    "clip": {"0": "a", "1": "a", "2": "b"},
    "worker": {"0": "w1", "1": "w2", "2": "w1"},
    "vote": {"0": 4, "1": 5, "2": 2},
}
SAMPLES: dict[str, tuple[Any, str, str, list[tuple[Any, ...]], int]] = {
    # what: (content, format, kind, [(item, rater, answer, measure or design)], rows set aside)
    "Label Studio": (
        LABEL_STUDIO,
        "Label Studio JSON",
        "ratings",
        [
            ("clip 1", "7", 4, "fluency"),
            ("clip 1", "7", 2, "length"),
            ("clip 1", "b@example.invalid", 5, "fluency"),
            ("clip 1", "b@example.invalid", 1, "length"),
            ("clip 2", "7", 2, "fluency"),
        ],
        1,
    ),
    "labels of Label Studio": (
        CHOICES,
        "Label Studio JSON",
        "label sets",
        [
            ("clip 1", "1", '["sad"]', None),
            ("clip 1", "2", '["angry", "calm"]', None),
            ("clip 2", "1", '["bad", "good/joy"]', None),
            ("clip 2", "2", '["sad"]', None),
        ],
        0,
    ),
    "pairs of Label Studio": (
        PAIRS,
        "Label Studio JSON",
        "choices",
        [("clip 1", "1", "left", None), ("clip 1", "2", "right", None), ("clip 2", "1", "left", None)],
        0,
    ),
    "Label Studio's JSON-MIN": (
        JSON_MIN,
        "Label Studio CSV",
        "ratings",
        [("1", "7", 4, None), ("1", "8", 5, None), ("2", "7", 2, None), ("2", "8", 1, None)],
        0,
    ),
    "Prodigy, yes or no": (
        PRODIGY,
        "Prodigy",
        "choices",
        [
            ("1", "news-anna", "accept", None),
            ("1", "news-bert", "reject", None),
            ("2", "news-anna", "accept", None),
        ],
        1,
    ),
    "Argilla 2": (ARGILLA, "Argilla", "ratings", SCORES, 1),
    "Argilla 1": (ARGILLA_1, "Argilla", "ratings", SCORES, 0),
    "Argilla on a hub": (ARGILLA_HUB, "Argilla", "ratings", SCORES, 0),
    "Doccano": (
        DOCCANO,
        "Doccano",
        "label sets",
        [("1", "anna", '["good"]', None), ("2", "anna", '["angry", "bad"]', None)],
        1,
    ),
    "Potato": (
        POTATO,
        "Potato",
        "ratings",
        [("i1", "u1", 4, None), ("i2", "u1", 2, None), ("i1", "u2", 5, None), ("i2", "u2", 1, None)],
        0,
    ),
    "a state of Potato": (
        POTATO_STATE,
        "Potato user state",
        "ratings",
        [("i1", "u1", 4, None), ("i2", "u1", 2, None)],
        0,
    ),
    "AltTest": (
        ALT_TEST,
        "AltTest",
        "ratings",
        [("i1", "anna", 4, None), ("i2", "anna", 2, None), ("i1", "bert", 5, None)],
        1,
    ),
    "battles": (
        BATTLES,
        "arena battles",
        "choices",
        [("q1", "j1", "model_a", "turn 1"), ("q2", "j2", "tie (bothbad)", "turn 1")],
        0,
    ),
    "Langfuse": (
        LANGFUSE,
        "Langfuse",
        "ratings",
        [("t1", "anna", 0.8, "help"), ("t1", "EVAL help", 0.5, "help")],
        0,
    ),
    "LangSmith": (
        LANGSMITH,
        "LangSmith",
        "ratings",
        [("e1__gpt", "feedback correctness", 1, None), ("e1__llama", "feedback correctness", 0, None)],
        0,
    ),
    "feedback of LangSmith": (
        FEEDBACK,
        "LangSmith feedback",
        "ratings",
        [
            ("run1", "anna", 1, "help"),
            ("run1", "model style", 0.5, "style"),
            ("run2", "bert", 0, "help"),
            ("run2", "model style", 0.75, "style"),
        ],
        1,
    ),
    "runs of LangSmith with their feedback": (
        FEEDBACK_OF_RUNS,
        "LangSmith feedback",
        "ratings",
        [("e1__gpt", "anna", 1, None), ("e1__llama", "anna", 0, None)],
        0,
    ),
    "runs of LangSmith with means of feedback": (
        MEANS_OF_RUNS,
        "LangSmith",
        "ratings",
        [("e1__gpt", "feedback correct", 0.75, None), ("e1__llama", "feedback correct", 0.5, None)],
        0,
    ),
    "lists of answers of two groups": (
        LISTS,
        "lists of answers",
        "ratings",
        [
            (f"{item}__{system}", rater, score, measure)
            for item, system, first in (("d1", "M1", 4), ("d1", "M2", 3), ("d2", "M1", 1))
            for rater, coherence, fluency in (("expert 1", first, 2), ("expert 2", 5, 3), ("turker 1", 1, 4))
            for measure, score in (("coherence", coherence), ("fluency", fluency))
        ],
        0,
    ),
    "records": (
        FLAT,
        "long table",
        "ratings",
        [("a", "w1", 4, None), ("a", "w2", 5.5, None), ("b", "w2", 1, None)],
        1,
    ),
    "columns of pandas": (
        PANDAS,
        "long table",
        "ratings",
        [("a", "w1", 4, None), ("a", "w2", 5, None), ("b", "w1", 2, None)],
        0,
    ),
}


EVERY_WAY = [
    next(name for name, sample in SAMPLES.items() if isinstance(sample[0], type)) for type in (list, dict)
]
"""A list and an object: how a text is cut into records is no matter of its format."""


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def written(content: Any, every: bool) -> list[str]:
    """In one piece, and a list also as a record on each line; or `every` way to write the same."""
    ways = [json.dumps(content, indent=1)]
    if isinstance(content, list):
        ways += [lines(content)]
        ways += ["\n\n".join(json.dumps(each, indent=2) for each in content)] if every else []
    return [json.dumps(content), *ways] if every else ways


@pytest.mark.parametrize("name", SAMPLES)
def test_a_documented_sample_is_right_however_it_is_written(save: Save, name: str) -> None:
    content, format, kind, expected, set_aside = SAMPLES[name]
    for text in written(content, every=name in EVERY_WAY):
        saved = save(text)
        assert (saved.found.format, saved.found.kind) == (format, kind)
        answer = {"ratings": "score", "choices": "choice", "label sets": "labels"}[kind]
        measure = "measure" if kind == "ratings" else "design"
        rows = [
            tuple(row.get(each) for each in ("item_id", "rater_id", answer, measure)) for row in saved.rows
        ]
        assert sorted(rows, key=repr) == sorted(expected, key=repr)
        assert saved.report.set_aside == set_aside


def test_no_label_is_an_answer_where_others_have_several(save: Save) -> None:
    """An empty list of Argilla is a set without a label; one among single labels is no answer."""

    def argilla(*values: list[str]) -> str:
        return json.dumps(
            [
                {
                    "id": f"r{at}",
                    "fields": {"text": f"text {at}"},
                    "responses": [
                        {"user_id": "u1", "status": "submitted", "values": {"topics": {"value": value}}}
                    ],
                }
                for at, value in enumerate(values)
            ]
        )

    several = save(argilla(["b", "a"], [], ["a"]))
    assert several.found.kind == "label sets"
    assert [row["labels"] for row in several.rows] == ['["a", "b"]', "[]", '["a"]']
    single = save(argilla(["a"], [], ["b"]))
    assert (single.found.kind, single.report.set_aside) == ("choices", 1)


def test_other_encodings_are_read(save: Save) -> None:
    text = json.dumps(FLAT, ensure_ascii=False).replace("w1", "Jörg")
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "windows-1252"):
        assert [row["rater_id"] for row in save(text.encode(encoding)).rows][:2] == ["Jörg", "w2"]


def test_the_time_of_an_annotation_is_shared_by_its_answers(save: Save) -> None:
    assert [row["seconds"] for row in save(json.dumps(LABEL_STUDIO)).rows] == [6, 6, 6, 6, 12]


def test_which_level_names_the_annotators_is_a_switch(save: Save) -> None:
    rows = save(json.dumps(ALT_TEST), keys="items, then annotators").rows
    assert [(row["item_id"], row["rater_id"]) for row in rows] == [
        ("anna", "i1"),
        ("anna", "i2"),
        ("bert", "i1"),
    ]


def test_candidates_are_distinguished_from_annotators(save: Save) -> None:
    said = "called like language models"
    values = {f"clip_{at}.wav": at % 3 + 1 for at in range(6)}
    for names in (["gpt-4o"], ["openai/o3-mini", "Llama 3.1 70B", "claude-3-5-sonnet"]):
        warnings = save(json.dumps(dict.fromkeys(names, values))).report.warnings
        (warning,) = [warning for warning in warnings[:3] if said in warning]
        assert f'"{sorted(names)[0]}"' in warning
    for names in (["anna", "gpt-4o"], ["Claude", "Gemma"], ["o1", "o3"], ["worker 1", "worker 2"]):
        warnings = save(json.dumps(dict.fromkeys(names, values))).report.warnings
        assert not any(said in told for told in warnings)


def test_an_ignored_task_is_reported_with_its_line(save: Save) -> None:
    report = save(lines(PRODIGY)).report
    assert report.reasons == (("answer", "the task was ignored", 1),)
    assert report.rejects.line.tolist() == [4]


# --- broken and hostile ---------------------------------------------------------------------------------------------

ROWS = [{"item": f"i{n}", "rater": f"r{m}", "score": 1 + (n + m) % 5} for n in range(5) for m in range(4)]
BROKEN: dict[str, tuple[str, str]] = {
    "no JSON": ('{"item": "x", "rater": oops, "score": 3}', "the record is no valid JSON"),
    "a name twice": (
        '{"item": "x", "rater": "r", "score": 3, "score": 4}',
        "a name stands twice in the record",
    ),
    "deep": ('{"item": ' + "[" * 10_000 + "]" * 10_000 + "}", "the record is nested too deep"),
    "half a character": (
        '{"item": "\\ud800", "rater": "r", "score": 3}',
        "the record holds bytes or characters that are not valid Unicode",
    ),
    "NUL": (
        '{"item": "\\u0000", "rater": "r", "score": 3}',
        "the record holds a NUL character, a sign of a damaged file",
    ),
    "long": (
        '{"item": "' + "x" * 2_000_000 + '", "rater": "r", "score": 3}',
        "the record is longer than 1,048,576 characters",
    ),
    "digits": (
        '{"item": "x", "rater": "r", "score": ' + "9" * 5_000 + "}",
        "the record holds a number of too many digits",
    ),
    "no object": ("[1, 2]", "this is no object of names and values"),
    "NaN": ('{"item": "x", "rater": "r", "score": NaN}', "the score is empty"),
    "infinite": ('{"item": "x", "rater": "r", "score": -Infinity}', "the score is not a finite number"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_costs_itself_only(save: Save, name: str) -> None:
    record, reason = BROKEN[name]
    texts = [json.dumps(each) for each in ROWS]
    texts.insert(7, record)
    for content in ("[" + ",\n".join(texts) + "]", "\n".join(texts)):
        report = save(content).report
        assert report.kept == len(ROWS)
        assert [(told, count) for _, told, count in report.reasons] == [(reason, 1)]
        assert report.rejects.line.tolist() == [8]


def test_the_beginning_of_a_long_record_is_shown(save: Save) -> None:
    long = {"score": 3, "item": "x'y" * 1_000_000, "rater": "r"}
    rejects = save(json.dumps([*ROWS, long])).report.rejects
    assert rejects.value.tolist() == [str(long)[:200]]


def test_a_file_that_was_cut_keeps_what_is_whole(save: Save) -> None:
    content = json.dumps(ROWS, indent=1)
    for part in (1, 3, 5):
        cut = content[: len(content) * part // 6]
        report = save(cut).report
        assert report.kept == cut.count("}")
        assert report.set_aside == 1
        assert "the file ends" in report.reasons[0][1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "no record of this file can be read"),
        ("{}", "no object of names and values"),
        ("[{}, {}]", "no record of this file can be read"),
        ("[[1, 2], [3, 4]]", "this is no object of names and values"),
        ('[{"item": 1}]', 'there is only one column in this file, "item"'),
        (
            '{"a": "' + "x" * (LARGEST + 10) + '"}',
            "longer than 16,777,216 characters; save it as a list of records",
        ),
        ("[" * 100_000, "the file ends"),
        ('{"a": ' * 10_000, "the file ends"),
        ('{"a": ' * 10_000 + "1" + "}" * 10_000, "nested too deep"),
        (
            json.dumps([{f"{n} {at}": 1 for at in range(1500)} for n in range(2)]),
            "2,000 different names",
        ),
        (
            json.dumps([{"user_id": user, "instance_id_to_label_to_value": [1]} for user in "ab"]),
            "'item_id', 'score' must be mapped",
        ),
    ],
)
def test_what_holds_no_table_is_reported_in_a_sentence(save: Save, content: str, said: str) -> None:
    with pytest.raises((UnreadableFile, DataError), match=said):
        save(content)


def test_a_long_outer_name_of_many_leaves_ends_early(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name would stand in the row of each leaf."""
    monkeypatch.setattr("data.tables.text._GROWN_FROM", 1_000_000)
    monkeypatch.setattr("data.tables.text._GROWTH", 10)
    leaves = {f"clip {n}": n % 5 for n in range(2_000)}
    assert len(save(json.dumps({"anna": leaves, "ben": leaves})).rows) == 4_000
    with pytest.raises(OverLimit, match="the rows of this file repeat long texts"):
        save(json.dumps({"a" * 1_000: leaves, "ben": leaves}))


def test_many_records_are_all_read(save: Save) -> None:
    many = [
        {"item": f"i{n % 500}", "rater": f"r{n % 37}", "score": n % 5, "a": {"b": n}} for n in range(2_500)
    ]
    saved = save(json.dumps(many))
    assert saved.report.kept == 2_500
    assert sum(row["score"] for row in saved.rows) == 2 * 2_500


def test_splitting_does_not_depend_on_the_pieces(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotation marks, backslashes and brackets in texts, cut at every place."""
    dice = random.Random(1)
    for _ in range(30):
        texts = ["".join(dice.choices('a"\\{}[],\n', k=dice.randrange(12))) for _ in range(5)]
        records = [{text: [text, {"x": text}]} for text in texts]
        path = tmp_path / "records"
        path.write_text(json.dumps(records))
        for size in (1, 2, 3, 7, 1 << 20):
            monkeypatch.setattr("data.formats.files.records.CHUNK", size)
            pieces = list(split(path, 1))
            assert not any(isinstance(piece, Aside) for piece in pieces)
            assert [json.loads(piece[1]) for piece in pieces] == records
