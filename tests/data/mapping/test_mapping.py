"""Proposals from the names people use, and mappings checked against a file."""

from pathlib import Path
from random import Random

import pytest

from data.errors import BadMapping
from data.formats.readers import sniff
from data.kinds.definitions import KINDS
from data.mapping.plan import Plan, plan
from data.mapping.proposal import propose
from data.tables.sniffed import Sniffed


@pytest.fixture
def sniffed(tmp_path: Path):
    def look(content: str) -> Sniffed:
        path = tmp_path / "file.csv"
        path.write_text(content, encoding="utf-8")
        return sniff(path)

    return look


def test_the_speech_study_needs_no_correction(shared_data):
    proposal = propose(sniff(shared_data / "speech_mos_lab_vs_crowd.csv"))
    assert proposal.kind == "ratings"
    assert proposal.mapping == {
        "item_id": "item",
        "rater_id": "rater",
        "score": "score",
        "measure": "measure",
        "rater_group": "group",
        "system": "system",
        "seconds": "seconds",
        "check": "check",
        "expected": "expected",
        "status": "assignment_status",
    }
    assert proposal.notes == ()


REAL = {
    "squality_summary_ratings.csv": ("ratings", {"score": "score", "measure": "measure"}),
    "summaries_25_systems_metrics.csv": ("ratings", {"system": "system", "topic": "topic", "score": "score"}),
    "video_mos_nflx_public.csv": ("ratings", {"rater_group": "group", "order": "repetition"}),
    "wmt23_mqm_3raters.csv": ("ratings", {"topic": "topic", "system": "system"}),
    "formats/crowdkit_ground_truth.csv": ("choices", {"item_id": "task", "gold": "true_label"}),
    "formats/mqm_marot_300.tsv": ("ratings", {"rater_id": "rater", "system": "system", "text": "text"}),
    "formats/semicolon_separated_speech.csv": (
        "ratings",
        {
            "item_id": "file",
            "rater_id": "user",
            "score": "rating",
            "condition": "condition",
            "seconds": "timeSecQA",
            "rated_at": "timeStampQA",
        },
    ),
    "formats/toloka_assignments.tsv": (
        "ratings",
        {
            "item_id": "item",
            "rater_id": "rater",
            "system": "system",
            "status": "status",
            "rated_at": "submitted",
            "score": "answer",
            "measure": "measure",
            "@format": "Toloka TSV",
        },
    ),
    "formats/wide_items_by_raters.csv": (
        "ratings",
        {
            "item_id": "item",
            "score": ("lab_slot1", "lab_slot2", "lab_slot3"),
            "@form": "rater columns",
            "@raters": "slots",
        },
    ),
    "formats/item_by_subject_matrix_no_header.csv": (
        "ratings",
        {
            "item_id": "@row",
            "score": tuple(f"column {number}" for number in range(1, 27)),
            "@form": "rater columns",
            "@header": "no",
        },
    ),
    "formats/qualtrics_wide_three_header_rows.csv": (
        "ratings",
        {
            "item_id": "item",
            "rater_id": "rater",
            "score": "answer",
            "@format": "Qualtrics",
        },
    ),
    "formats/mturk_p808_batch_60.csv": (
        "ratings",
        {"rater_id": "rater", "status": "status", "check": "check", "@format": "MTurk batch"},
    ),
}


@pytest.mark.parametrize("name", REAL)
def test_real_exports(shared_data, name):
    kind, expected = REAL[name]
    proposal = propose(sniff(shared_data / name))
    assert proposal.kind == kind
    assert dict(proposal.mapping) | expected == dict(proposal.mapping)


@pytest.mark.parametrize(
    ("name", "number"), [("wmt23_mqm_3raters.csv", "n_errors"), ("squality_summary_ratings.csv", "rank")]
)
def test_a_number_of_single_ratings_is_no_number_of_the_item(shared_data, name, number):
    proposal = propose(sniff(shared_data / name))
    assert number not in proposal.mapping
    assert any(number in note and "differs between the ratings of an item" in note for note in proposal.notes)


def test_what_is_missing_is_said(shared_data):
    proposal = propose(sniff(shared_data / "formats" / "crowdkit_ground_truth.csv"), "ratings")
    assert proposal.notes == (
        "No column was recognized as the rater (who rated it); choose one.",
        "No column was recognized as the score (the rating itself, a number); choose one.",
    )


def test_labels_with_gold_may_still_be_mapped_as_ratings(shared_data):
    found = sniff(shared_data / "choice2_sentiment_timed.csv")
    assert propose(found).notes == ()
    assert propose(found, kind="ratings").mapping["score"] == "label"


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("WorkerId,Input.clip,Answer.MOS", "A1,c1,4", ("Input.clip", "WorkerId", "Answer.MOS")),
        ("annotator,stimulus,vote", "anna,c1,4", ("stimulus", "annotator", "vote")),
        ("Subject ID;Video;Opinion Score", "s1;v1;4", ("Video", "Subject ID", "Opinion Score")),
        ("judge,document,value,text", "j,d,4,bla", ("document", "judge", "value")),
        ("rater,item,comment,response", "j,d,fine,4", ("item", "rater", "response")),
        ("id,item,rater,rank,score", "1,i,r,2,4", ("item", "rater", "score")),
        ("assessor,HITId,rating", "a,h,4", ("HITId", "assessor", "rating")),
    ],
)
def test_names_that_people_use(sniffed, header, row, expected):
    mapping = propose(sniffed(f"{header}\n{row}\n")).mapping
    assert (mapping["item_id"], mapping["rater_id"], mapping["score"]) == expected


def test_content_decides_which_column_is_the_score(sniffed):
    mapping = propose(sniffed("item,rater,label,answer\na,r,good,4\nb,r,bad,2\n"), kind="ratings").mapping
    assert mapping["score"] == "answer"


def test_scores_as_text_offer_the_leading_number(sniffed):
    proposal = propose(sniffed("item,rater,score\na,r,4 - good\nb,r,5 - excellent\n"))
    assert proposal.mapping["@scores"] == "leading number"
    assert proposal.notes == (
        'The scores are texts such as "4 - good"; the number they begin with is taken.',
    )


def test_a_decimal_comma_is_a_switch(sniffed):
    assert propose(sniffed("item;rater;score\na;r;3,5\n")).mapping["@decimal"] == ","


def test_gold_answers_are_no_check_but_a_gold_mark_is(sniffed):
    marked = propose(sniffed("item,rater,score,gold\na,r,4,0\nb,r,5,1\nc,r,2,0\n")).mapping
    assert marked["check"] == "gold"
    answers = propose(sniffed("item,rater,score,gold\na,r,4,4\nb,r,5,4\nc,r,2,5\nd,r,5,2\n")).mapping
    assert "check" not in answers
    assert answers["gold"] == "gold"


def test_rater_attributes_and_further_numbers_keep_their_names(sniffed):
    mapping = propose(sniffed("item,rater,score,rater_age,gender,bleu,comment\na,r,4,31,f,0.5,ok\n")).mapping
    assert mapping["rater_age"] == "rater_age"
    assert mapping["rater_gender"] == "gender"
    assert mapping["bleu"] == "bleu"
    assert "comment" not in mapping


@pytest.mark.parametrize(
    ("names", "raters"),
    [
        (["slot1", "slot2"], "slots"),
        (["rating_1", "rating_2"], "slots"),
        (["r1", "r2"], "slots"),
        (["vote 1", "vote 2"], "slots"),
        (["rater1", "rater2"], None),
        (["anna", "bert"], None),
        (["worker_1", "worker_2"], None),
    ],
)
def test_columns_of_raters_are_persons_unless_their_names_say_slots(sniffed, names, raters):
    mapping = propose(sniffed(f"item,{','.join(names)}\na,4,5\nb,3,4\nc,1,2\n")).mapping
    assert mapping["@form"] == "rater columns"
    assert mapping["score"] == tuple(names)
    assert mapping.get("@raters") == raters


def test_columns_of_measures(sniffed):
    mapping = propose(sniffed("item,rater,fluency,adequacy\na,r,4,5\nb,r,3,4\nc,r,1,2\n")).mapping
    assert mapping["@form"] == "measure columns"
    assert mapping["score"] == ("fluency", "adequacy")


def test_every_synonym_is_written_as_names_are_compared():
    for kind in KINDS.values():
        for column in kind.columns:
            for name in column.names:
                assert name == "".join(c for c in name.casefold() if c.isalnum()), (column.name, name)


# --- mappings that do not fit ----------------------------------------------------------------------------

RATINGS = "item,rater,score,seconds\nclip 1,anna,4,1\nclip 2,anna,5,2\n"
GOOD = {"item_id": "item", "rater_id": "rater", "score": "score"}


@pytest.mark.parametrize(
    ("kind", "mapping", "message"),
    [
        (
            "opinions",
            GOOD,
            "kind must be one of ratings, contributors, metrics, choices, label sets, rankings, comprehension, "
            "relevance; got 'opinions'",
        ),
        (
            "relevance",
            GOOD,
            "'event_id', 'document_id', 'surrogate', 'judgment' must be mapped to a column of the file; it has "
            "'item', 'rater', 'score', 'seconds'",
        ),
        (
            "choices",
            {"item_id": "item", "rater_id": "rater", "choice": "score", "option_a": "seconds"},
            "'option_a', 'option_b' belong together: map both of them, or none where choices are labels",
        ),
        (
            "ratings",
            {"item_id": "item"},
            "'rater_id', 'score' must be mapped to a column of the file; it has 'item', 'rater', 'score', "
            "'seconds'",
        ),
        (
            "ratings",
            GOOD | {"score": "vote"},
            "'score' is mapped to 'vote', which the file does not have; it has 'item', 'rater', 'score', "
            "'seconds'",
        ),
        (
            "ratings",
            GOOD | {"@decimal": "."} | {"@median": "yes"},
            "a switch must be one of '@form', '@raters', '@decimal', '@scores', '@rejected', '@duplicates', "
            "'@seconds', '@header'; got '@median'",
        ),
        ("ratings", GOOD | {"@raters": "people"}, "@raters must be one of 'persons', 'slots'; got 'people'"),
        (
            "ratings",
            GOOD | {"@form": "rater columns"},
            "in the form 'rater columns', `score` must list the columns with the ratings; got 'score'",
        ),
        (
            "ratings",
            GOOD | {"score": ("score", "seconds")},
            "'score' lists 2 columns; only the wide forms may list columns, as many as `score` (0)",
        ),
        (
            "ratings",
            GOOD | {"score": ("score", "seconds"), "item_id": ("item",), "@form": "item columns"},
            "'item_id' lists 1 columns; only the wide forms may list columns, as many as `score` (2)",
        ),
        (
            "ratings",
            GOOD | {"Row": "seconds"},
            "a further column cannot be stored as 'Row': the name is empty, too long or used already; leave "
            "it out",
        ),
        (
            "ratings",
            GOOD | {"Score": "seconds"},
            "a further column cannot be stored as 'Score': the name is empty, too long or used already; "
            "leave it out",
        ),
        (
            "ratings",
            GOOD | {"rater_id": "@row"},
            "'rater_id' cannot be named by its row ('@row') in ratings of the form 'long'; only 'item_id' can",
        ),
    ],
)
def test_a_mapping_that_does_not_fit_says_what_would(sniffed, kind, mapping, message):
    with pytest.raises(BadMapping) as raised:
        plan(kind, mapping, sniffed(RATINGS))
    assert str(raised.value) == message


WIDE = {"item_id": "item", "score": ("score", "seconds"), "@form": "rater columns"}


@pytest.mark.parametrize(
    ("kind", "mapping", "message"),
    [
        (
            "ratings",
            GOOD | {"item_id": ("item", "clip")},
            "'item_id' is mapped to 'clip', which the file does not have; it has 'item', 'rater', 'score', "
            "'seconds'",
        ),
        (
            "ratings",
            GOOD | {"item_id": ("item", "rater", "item")},
            "'item_id' lists a column twice: 'item', 'rater', 'item'; list each part once",
        ),
        (
            "ratings",
            GOOD | {"item_id": ()},
            "'item_id' lists 0 columns; only the wide forms may list columns, as many as `score` (0)",
        ),
        (
            "ratings",
            GOOD | {"rater_id": ("item", "rater")},
            "'rater_id' lists 2 columns; only the wide forms may list columns, as many as `score` (0)",
        ),
        (
            "ratings",
            WIDE | {"@names speed": ("a", "b")},
            "columns can be named by '@names rater_id', '@names item_id', '@names measure', '@names rater_group', "
            "'@names system', '@names score'; got '@names speed'",
        ),
        (
            "choices",
            {"item_id": "item", "choice": ("score", "seconds"), "@form": "rater columns"}
            | {"@names measure": ("a", "b")},
            "columns can be named by '@names rater_id', '@names item_id', '@names rater_group', '@names system', "
            "'@names design'; got '@names measure'",
        ),
        (
            "ratings",
            GOOD | {"@names measure": ("a",)},
            "'@names measure' names columns side by side, which only a wide form has: set @form to one of 'rater "
            "columns', 'measure columns', 'item columns', 'grade columns', or leave '@names measure' out",
        ),
        (
            "metrics",
            {"item_id": "item", "seconds": "seconds", "@names item_id": ("a",)},
            "'@names item_id' names columns side by side, and a table of metrics has no such form; leave it out",
        ),
        (
            "ratings",
            WIDE | {"@names measure": ("a", "b", "c")},
            "'@names measure' must list one text for each of the 2 columns of `score`, none of them empty; got "
            "\"('a', 'b', 'c')\"",
        ),
        (
            "ratings",
            WIDE | {"@names measure": ("a", " ")},
            "'@names measure' must list one text for each of the 2 columns of `score`, none of them empty; got "
            "\"('a', ' ')\"",
        ),
        (
            "ratings",
            WIDE | {"measure": "rater", "@names measure": ("a", "b")},
            "'measure' is mapped to a column and given by '@names measure'; leave one of them out",
        ),
        (
            "ratings",
            GOOD | {"@missing": "NA"},
            "@missing must list the texts that stand for a missing answer, at most 500, none of them empty (an empty "
            "cell is missing anyway); got 'NA'",
        ),
        (
            "ratings",
            GOOD | {"@missing": ("NA", "")},
            "@missing must list the texts that stand for a missing answer, at most 500, none of them empty (an empty "
            "cell is missing anyway); got \"('NA', '')\"",
        ),
        (
            "metrics",
            {"item_id": "item", "seconds": "seconds", "@missing": ("NA",)},
            "a switch must be one of '@decimal', '@header'; got '@missing'",
        ),
        (
            "ratings",
            GOOD | {"item_id": "@slot"},
            "'item_id' cannot be numbered ('@slot') in the form 'long'; only `rater_id` can, in the forms 'long', "
            "'measure columns', 'grade columns' of ratings",
        ),
        (
            "ratings",
            {"item_id": "item", "rater_id": "@slot", "score": ("score", "seconds"), "@form": "item columns"},
            "'rater_id' cannot be numbered ('@slot') in the form 'item columns'; only `rater_id` can, in the forms "
            "'long', 'measure columns', 'grade columns' of ratings",
        ),
        (
            "ratings",
            GOOD | {"rater_id": "@slot", "@raters": "persons"},
            "`rater_id` is '@slot': the file names no raters, so @raters must be 'slots' or left out; got 'persons'",
        ),
        (
            "ratings",
            WIDE | {"rater_id": "@row"},
            "'rater_id' cannot be named by its row ('@row') in ratings of the form 'rater columns'; only 'item_id' can",
        ),
        ("ratings", GOOD | {"@header": "4"}, "@header must be one of 'yes', 'no', '2', '3'; got '4'"),
    ],
)
def test_a_layout_that_does_not_fit_says_what_would(sniffed, kind, mapping, message):
    with pytest.raises(BadMapping) as raised:
        plan(kind, mapping, sniffed(RATINGS))
    assert str(raised.value) == message


def test_a_file_without_raters_has_slots(sniffed):
    found = plan("ratings", GOOD | {"rater_id": "@slot", "@duplicates": "set aside"}, sniffed(RATINGS))
    assert (found.switches["@raters"], found.numbers_raters, found.set_aside) == ("slots", True, None)


def test_a_mapping_that_fits(sniffed):
    found = plan("ratings", GOOD | {"seconds": "seconds", "rater_age": "seconds"}, sniffed(RATINGS))
    assert isinstance(found, Plan)
    assert [(target.name, target.type, target.source) for target in found.targets] == [
        ("item_id", "text", 0),
        ("rater_id", "text", 1),
        ("score", "number", 2),
        ("seconds", "number", 3),
        ("rater_age", "text", 3),
    ]


def test_all_kinds_of_the_design_are_declared():
    required = {name: kind.required for name, kind in KINDS.items()}
    assert required == {
        "ratings": ("item_id", "rater_id", "score"),
        "contributors": ("topic", "item_id", "scu_id", "contributor_text", "weight"),
        "metrics": ("item_id",),
        "choices": ("item_id", "rater_id", "choice"),
        "label sets": ("item_id", "rater_id", "labels"),
        "rankings": ("item_id", "rater_id", "option", "rank"),
        "comprehension": ("story_id", "summary_author", "question_author", "question_id", "answer"),
        "relevance": ("rater_id", "event_id", "document_id", "surrogate", "judgment"),
    }


def test_what_a_survey_asks_of_respondents_becomes_their_attributes(sniffed):
    head = "Timestamp,How old are you?,Native speaker,Comment," + ",".join(f"clip {n}" for n in range(4))
    rows = [
        f"2024-03-01 10:{n:02d},{20 + n},{'Yes' if n % 2 else 'No'},{'ok' if n % 3 else 'hard'},"
        + ",".join(str((n * at + at) % 5 + 1) for at in range(4))
        for n in range(10)
    ]
    mapping = propose(sniffed("\n".join([head, *rows]) + "\n")).mapping
    assert mapping["rater_id"] == "@row"
    assert {
        source for name, source in mapping.items() if name.startswith("rater_") and name != "rater_id"
    } == {
        "How old are you?",
        "Native speaker",
    }


def test_the_decision_on_a_paper_is_no_status_of_its_reviews(sniffed) -> None:
    rows = [
        f"p{paper},r{rater},{1 + (paper + rater) % 5},{'reject' if paper % 2 else 'accept'}"
        for paper in range(8)
        for rater in range(3)
    ]
    mapping = propose(sniffed("paper,reviewer,soundness,decision\n" + "\n".join(rows) + "\n")).mapping
    assert (mapping["score"], mapping["rater_id"]) == ("soundness", "reviewer")
    assert "decision" not in mapping.values()


def test_a_computed_column_next_to_raters_is_named_as_not_used(sniffed) -> None:
    rows = [(4, 2, 3), (1, 5, 3), (2, 4, 3), (5, 1, 3), (3, 3, 3), (1, 3, 2), (5, 3, 4), (2, 2, 2)]
    content = "item,Kim,Lee,Max\n" + "".join(f"i{at},{a},{b},{c}\n" for at, (a, b, c) in enumerate(rows))
    proposal = propose(sniffed(content))
    assert proposal.mapping["score"] == ("Kim", "Lee")
    assert "Not used: 'Max'." in proposal.notes


def test_a_final_mark_next_to_raters_is_named_as_not_used(sniffed) -> None:
    rows = [(4, 2, 3, 3), (1, 5, 3, 4), (2, 4, 1, 2), (5, 1, 4, 4), (3, 3, 5, 4), (1, 3, 2, 2), (5, 2, 4, 5)]
    content = "essay,rater1,rater2,rater3,final_mark\n"
    content += "".join(f"e{at},{','.join(map(str, row))}\n" for at, row in enumerate(rows))
    proposal = propose(sniffed(content))
    assert proposal.mapping["score"] == ("rater1", "rater2", "rater3")
    assert "Not used: 'final_mark'." in proposal.notes


def test_a_measure_outside_a_grid_is_named_once_as_not_used(sniffed) -> None:
    content = "item,r1_style,r1_content,r2_style,r2_content,r3_style,r3_content,helpfulness\n"
    content += "".join(
        f"i{at},{','.join(str(1 + at * by % 5) for by in range(1, 8))}\n" for at in range(1, 13)
    )
    proposal = propose(sniffed(content))
    assert len(proposal.mapping["score"]) == 6
    assert "Not used: 'helpfulness'." in proposal.notes


def test_a_measure_that_only_its_numbers_tell_is_named(sniffed) -> None:
    numbers = Random(7)
    rows = [
        f"s{item},p{rater}," + ",".join(f"{numbers.uniform(0, 10):.1f}" for _ in range(4))
        for item in range(8)
        for rater in range(1, 4)
    ]
    head = "sample,panelist,sweetness,bitterness,overall_liking,brittleness\n"
    proposal = propose(sniffed(head + "\n".join(rows) + "\n"))
    assert len(proposal.mapping["score"]) == 4
    assert "'brittleness' is taken for a measure, by the numbers alone." in proposal.notes
