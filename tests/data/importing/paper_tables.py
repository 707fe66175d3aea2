"""Tables of five published studies in forms that their authors may have kept them in, with invented answers.

The designs are those of the papers: who judged what, how often, and on which scale.
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from openpyxl import Workbook

Record = tuple[str, ...]
"""One answer: what was asked about, who answered, and what."""
SCALE = ("very bad", "bad", "moderate", "good", "very good")
MEASURES = {
    "OQ": "overall quality",
    "GR": "grammaticality",
    "NR": "non-redundancy",
    "RC": "referential clarity",
    "FO": "focus",
    "SC": "structure & coherence",
    "SU": "summary usefulness",
    "PU": "post usefulness",
    "SI": "summary informativeness",
}
FEW = ("OQ", "GR", "NR", "SI")


@dataclass(frozen=True)
class Paper:
    """Files of one study, and its answers.

    kind : kind of the data set
    fields : columns of the data set that the parts of an answer stand in
    answers : one for each answer; a part that its table does not hold is empty
    """

    files: dict[str, bytes]
    kind: str
    fields: tuple[str, ...]
    answers: tuple[Record, ...]


def table(head: Sequence[object], rows: Iterable[Sequence[object]], delimiter: str = ",") -> bytes:
    """Return a delimited table."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([head, *rows])
    return out.getvalue().encode()


def workbook(sheets: Mapping[str, Iterable[Sequence[object]]]) -> bytes:
    """Return a workbook with these sheets, numbers as numbers."""
    book = Workbook()
    assert book.active is not None
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([int(cell) if str(cell).isdigit() else cell or None for cell in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


# --- crowd and laboratory: Iskender, Polzehl and Möller (2020) -----------------------------------------------------

RATED = ("item_id", "rater_id", "measure", "rater_group", "score")


def _summaries(
    measures: Sequence[str], items: int = 50, each: int = 24
) -> list[tuple[int, str, str, str, int]]:
    """Return item, rater, group, measure and score: 24 of 46 workers, and of 71 participants, rate each summary."""
    draw = np.random.default_rng(2020)
    quality, found = draw.random(items), []
    for group, people in (("crowd", 46), ("lab", 71)):
        severe = draw.normal(0, 0.4, people)
        for item in range(items):
            for person in sorted(draw.permutation(people)[:each].tolist()):
                for measure in measures:
                    told = 1 + 4 * quality[item] + severe[person] + draw.normal(0, 0.8)
                    found.append(
                        (item, f"{group}_{person + 1:02d}", group, measure, int(np.clip(round(told), 1, 5)))
                    )
    return found


def _rated(
    found: Iterable[tuple[int, str, str, str, int]], names: Callable[[int], str], **left: bool
) -> tuple[Record, ...]:
    return tuple(
        (
            names(item),
            rater,
            "" if left.get("measure") else measure,
            "" if left.get("group") else group,
            str(score),
        )
        for item, rater, group, measure, score in found
    )


def measures_side_by_side() -> Paper:
    """One row per summary and rater; one of the measures is called overall quality."""
    found = _summaries([*MEASURES], items=12)
    cells = {(item, rater, measure): score for item, rater, _, measure, score in found}
    keys = dict.fromkeys((item, rater, group) for item, rater, group, _, _ in found)
    rows = [
        [rater, group, f"summary_{item + 1}", *(cells[item, rater, measure] for measure in MEASURES)]
        for item, rater, group in keys
    ]
    full = [(item, rater, group, MEASURES[measure], score) for item, rater, group, measure, score in found]
    return Paper(
        {"ratings.csv": table(["participant", "study", "summary", *MEASURES.values()], rows)},
        "ratings",
        RATED,
        _rated(full, lambda item: f"summary_{item + 1}"),
    )


def abbreviated_measures() -> Paper:
    """The same with the paper's abbreviations, semicolons, and the words of the scale."""
    found = _summaries([*MEASURES], items=12)
    cells = {(item, rater, measure): score for item, rater, _, measure, score in found}
    keys = dict.fromkeys((item, rater, group) for item, rater, group, _, _ in found)
    rows = [
        [f"S{item + 1:02d}", rater, group, *(SCALE[cells[item, rater, measure] - 1] for measure in MEASURES)]
        for item, rater, group in keys
    ]
    return Paper(
        {"export.csv": table(["summary_id", "worker_id", "group", *MEASURES], rows, ";")},
        "ratings",
        RATED,
        _rated(found, lambda item: f"S{item + 1:02d}"),
    )


def _grid(found: Sequence[tuple[int, str, str, str, int]], index: str, name: Callable[[int], str]) -> bytes:
    raters = sorted({rater for _, rater, _, _, _ in found})
    cells = {(item, rater): score for item, rater, _, _, score in found}
    items = sorted({item for item, _ in cells})
    return table(
        [index, *raters],
        [[name(item), *(cells.get((item, rater), "") for rater in raters)] for item in items],
    )


def raters_side_by_side() -> Paper:
    """One row per summary, one column per rater, workers before participants of the laboratory."""
    found = _summaries(["OQ"])
    return Paper(
        {"overall_quality.csv": _grid(found, "summary", lambda item: f"S{item + 1}")},
        "ratings",
        RATED,
        _rated(found, lambda item: f"S{item + 1}", measure=True, group=True),
    )


def file_per_measure_and_group() -> Paper:
    """One grid for each measure and group: OQ_crowd.csv to SI_lab.csv."""
    found = _summaries(FEW, items=12)
    files = {
        f"{measure}_{group}.csv": _grid(
            [row for row in found if row[2:4] == (group, measure)], "summary", lambda item: f"S{item + 1}"
        )
        for measure in FEW
        for group in ("crowd", "lab")
    }
    return Paper(files, "ratings", RATED, _rated(found, lambda item: f"S{item + 1}"))


def repetitions_per_measure_and_group() -> Paper:
    """The same without names of raters: 24 repetitions of each summary."""
    found = _summaries(FEW, items=12)
    files, answers = {}, []
    for measure in FEW:
        for group in ("crowd", "lab"):
            rows = []
            for item in range(12):
                scores = [row[4] for row in found if row[0] == item and row[2:4] == (group, measure)]
                rows.append([f"S{item + 1}", *scores])
                answers += [(f"S{item + 1}", "", measure, group, str(score)) for score in scores]
            files[f"{measure}_{group}.csv"] = table(["summary", *(f"rep{at + 1}" for at in range(24))], rows)
    return Paper(files, "ratings", RATED, tuple(answers))


def sheet_per_measure_and_group() -> Paper:
    """The grids as sheets of one workbook."""
    found = _summaries(["OQ", "GR", "SI"], items=12)
    sheets = {}
    for measure in ("OQ", "GR", "SI"):
        for group in ("crowd", "lab"):
            text = _grid(
                [row for row in found if row[2:4] == (group, measure)], "summary", lambda item: f"S{item + 1}"
            )
            sheets[f"{measure}_{group}"] = list(csv.reader(io.StringIO(text.decode())))
    return Paper(
        {"ratings.xlsx": workbook(sheets)}, "ratings", RATED, _rated(found, lambda item: f"S{item + 1}")
    )


def laboratory_survey() -> Paper:
    """A form of the laboratory: one row per participant, a question for each summary, answers in words."""
    found = [row for row in _summaries(["OQ"]) if row[2] == "lab"]
    cells = {(item, rater): SCALE[score - 1] for item, rater, _, _, score in found}
    raters = sorted({rater for _, rater, _, _, _ in found})
    head = [
        "Timestamp",
        "Participant",
        "Age",
        *(f"How good is summary {item + 1} overall?" for item in range(50)),
    ]
    rows = [
        [
            f"2019/11/{at % 28 + 1:02d} 10:00:00 AM GMT+1",
            rater,
            20 + at % 30,
            *(cells.get((item, rater), "") for item in range(50)),
        ]
        for at, rater in enumerate(raters)
    ]
    answers = _rated(found, lambda item: f"How good is summary {item + 1} overall?", measure=True, group=True)
    return Paper({"lab.csv": table(head, rows)}, "ratings", RATED, answers)


def survey_of_two_measures() -> Paper:
    """An export of a questionnaire with a grid of measures for each summary."""
    found = [row for row in _summaries(["OQ", "GR", "SU"], items=10) if row[2] == "lab"]
    named = [(item, rater, group, MEASURES[measure], score) for item, rater, group, measure, score in found]
    cells = {(item, rater, measure): score for item, rater, _, measure, score in named}
    raters = sorted({rater for _, rater, _, _, _ in found})
    pairs = [(item, MEASURES[measure]) for item in range(10) for measure in ("OQ", "GR", "SU")]
    head = [
        "Response ID",
        "Date submitted",
        "Last page",
        *(f"Summary {item + 1} [{measure}]" for item, measure in pairs),
    ]
    rows = [
        [
            rater,
            f"2019-11-{at % 28 + 1:02d} 11:00:00",
            12,
            *(cells.get((item, rater, measure), "") for item, measure in pairs),
        ]
        for at, rater in enumerate(raters)
    ]
    return Paper(
        {"survey.csv": table(head, rows)},
        "ratings",
        RATED,
        _rated(named, lambda item: f"Summary {item + 1}", group=True),
    )


# --- assessors of the Text Analysis Conference: Owczarzak, Rankel, Dang and Conroy (2012) --------------------------

JUDGED = ("item_id", "rater_id", "measure", "system", "topic", "score")


def topics_and_peers() -> Paper:
    """16 topics of 8 assessors, 51 peers, main and update summaries, and no column that names a summary."""
    draw = np.random.default_rng(2011)
    rows, answers = [], []
    good = draw.random(51)
    for topic in range(16):
        for part in "AB":
            for peer in range(51):
                name = str(peer + 1) if peer < 43 else "ABCDEFGH"[peer - 43]
                resp, read = (
                    np.clip(np.round(1 + 4 * good[peer] + draw.normal(0, 0.7, 2)), 1, 5).astype(int).tolist()
                )
                assessor = f"NIST{'ABCDEFGH'[topic % 8]}"
                rows.append([f"D11{topic + 1:02d}-{part}", name, assessor, resp, read])
                for measure, score in (("responsiveness", resp), ("readability", read)):
                    answers.append(("", assessor, measure, name, f"D11{topic + 1:02d}-{part}", str(score)))
    return Paper(
        {"tac2011.csv": table(["topic", "peer", "assessor", "responsiveness", "readability"], rows)},
        "ratings",
        JUDGED,
        tuple(answers),
    )


def sets_of_topics() -> Paper:
    """The topics' two sets in a column, and summarizers of which each was read once."""
    draw = np.random.default_rng(2009)
    rows, answers = [], []
    for topic in range(20):
        for part in "AB":
            for peer in range(30):
                score = int(draw.integers(1, 6))
                said = f"D09{topic + 1:02d}", part, f"run{peer + 1}", "ABCDEFGH"[topic % 8]
                rows.append([*said, score])
                item = " / ".join((said[0], said[2], said[1]))
                answers.append((item, said[3], "", said[2], said[0], str(score)))
    head = ["Topic", "Set", "Summarizer", "Assessor", "Responsiveness"]
    return Paper({"tac.csv": table(head, rows, ";")}, "ratings", JUDGED, tuple(answers))


def systems_segments_and_raters() -> Paper:
    """System, segment and rater in three columns, of which the first two name what was rated."""
    draw = np.random.default_rng(2012)
    rows, answers = [], []
    for system in range(6):
        for segment in range(40):
            level = draw.normal(3 + system / 4, 0.8)
            for rater in "ABC":
                score = int(np.clip(round(level + draw.normal(0, 0.6)), 1, 5))
                rows.append([f"sys{system + 1}", segment + 1, f"rater{rater}", score])
                answers.append(("", f"rater{rater}", "", f"sys{system + 1}", str(segment + 1), str(score)))
    return Paper(
        {"scores.tsv": table(["system", "segment", "rater", "score"], rows, "\t")},
        "ratings",
        JUDGED,
        tuple(answers),
    )


# --- relevance prediction: Hobson, Dorr, Monz and Schwartz (2007) --------------------------------------------------

PREDICTED = ("rater_id", "event_id", "document_id", "surrogate", "judgment")
SURROGATES = ("Headline", "Human", "Full Text")


def _judged() -> dict[str, list[tuple[str, str, list[bool]]]]:
    """Return for each of 10 subjects the events, documents and judgments from three surrogates."""
    draw = np.random.default_rng(2007)
    true = draw.random((3, 20)) < 0.5
    return {
        f"subject{subject + 1:02d}": [
            (
                f"event{event + 1}",
                f"APW1998{event + 1}{document + 1:02d}",
                [bool(true[event, document] ^ (draw.random() < wrong)) for wrong in (0.3, 0.2, 0.1)],
            )
            for event in range(3)
            for document in range(20)
        ]
        for subject in range(10)
    }


def _predicted(words: tuple[str, str]) -> tuple[dict[str, list[list[object]]], tuple[Record, ...]]:
    tables = {
        subject: [[event, document, *(words[told] for told in judged)] for event, document, judged in rows]
        for subject, rows in _judged().items()
    }
    answers = tuple(
        (subject, event, document, surrogate, str(int(told)))
        for subject, rows in _judged().items()
        for event, document, judged in rows
        for surrogate, told in zip(SURROGATES, judged, strict=True)
    )
    return tables, answers


def grid_per_subject() -> Paper:
    """A file for each subject: documents by what stood for them."""
    tables, answers = _predicted(("not relevant", "relevant"))
    head = ["event", "document", *SURROGATES]
    return Paper(
        {f"{name}.csv": table(head, rows) for name, rows in tables.items()}, "relevance", PREDICTED, answers
    )


def sheet_per_subject() -> Paper:
    """The same as a workbook with a sheet for each subject, in numbers."""
    tables, answers = _predicted(("0", "1"))
    sheets = {name: [["event", "document", *SURROGATES], *rows] for name, rows in tables.items()}
    return Paper({"judgments.xlsx": workbook(sheets)}, "relevance", PREDICTED, answers)


def judgments_of_everyone() -> Paper:
    """One table of all subjects with their seconds."""
    _, answers = _predicted(("no", "yes"))
    rows = [[*record[:4], ("no", "yes")[int(record[4])], 5 + at % 9] for at, record in enumerate(answers)]
    head = ["participant", "topic", "document", "system", "judgment", "seconds"]
    return Paper({"judgments.csv": table(head, rows)}, "relevance", PREDICTED, answers)


# --- cross comprehension: Kolluru and Gotoh (2005) -----------------------------------------------------------------

ANSWERED = ("story_id", "summary_author", "question_author", "question_id", "answer")
ANSWERS = {"R": "relevant", "P": "partially relevant", "I": "irrelevant", "N": "not found"}


def _crossed() -> list[Record]:
    draw = np.random.default_rng(2005)
    return [
        (
            f"story {story + 1:02d}",
            author,
            asked,
            str(question + 1),
            "RPIN"[int(draw.choice(4, p=(0.47, 0.14, 0.04, 0.35)))],
        )
        for story in range(51)
        for asked in "ABCD"
        for question in range(2 + (story + ord(asked)) % 3)
        for author in "ABCD"
        if author != asked
    ]


def crossed_answers() -> Paper:
    """One row per answer, in letters."""
    answers = _crossed()
    head = ["story", "summary by", "questions by", "question", "answer"]
    return Paper({"answers.csv": table(head, answers)}, "comprehension", ANSWERED, tuple(answers))


def crossed_answers_with_texts() -> Paper:
    """One row per answer with the question and both answers, judged in words."""
    answers = _crossed()
    rows = [
        [
            story,
            author,
            asked,
            f"Q{question}",
            f"What happened in {story}, part {question}?",
            "a quake",
            "a quake or so",
            ANSWERS[told],
        ]
        for story, author, asked, question, told in answers
    ]
    head = [
        "Story",
        "Summary author",
        "Question author",
        "Question no.",
        "Question",
        "Expected answer",
        "Answer found",
        "Judgement",
    ]
    named = tuple(
        (story, author, asked, f"Q{question}", told) for story, author, asked, question, told in answers
    )
    return Paper({"cross_comprehension.csv": table(head, rows)}, "comprehension", ANSWERED, named)


# --- lists of recommendations: Habibi and Popescu-Belis (2012) -----------------------------------------------------

CHOSEN = ("item_id", "rater_id", "choice")
COMPARED = ("item_id", "rater_id", "option_a", "option_b", "choice")


def _compared(options: Sequence[str], fragments: int = 24, each: int = 10) -> list[tuple[int, str, str]]:
    draw = np.random.default_rng(fragments + len(options))
    workers = [f"A{(at + 3) * 48271:08X}XK" for at in range(16)]
    weights = (0.6, 0.4) if len(options) == 2 else (0.4, 0.3, 0.2, 0.1)
    return [
        (fragment, workers[at], str(draw.choice(options, p=weights)))
        for fragment in range(fragments)
        for at in sorted(draw.permutation(16)[:each].tolist())
    ]


def choices_of_a_batch() -> Paper:
    """The results of a batch on Mechanical Turk: which of two lists is more relevant, both or none."""
    found = _compared(("first", "second", "both", "neither"))
    head = [
        "HITId",
        "HITTypeId",
        "Title",
        "AssignmentId",
        "WorkerId",
        "AssignmentStatus",
        "WorkTimeInSeconds",
    ]
    head += ["Input.fragment", "Input.first_system", "Input.second_system", "Answer.choice"]
    rows, answers = [], []
    for fragment, worker, choice in found:
        systems = ("UI", "KW") if fragment % 2 else ("KW", "UI")
        own = f"3HIT{fragment:03d}{worker}"
        rows.append(
            [
                f"3HIT{fragment:03d}",
                "3TYPE",
                "Compare lists",
                own,
                worker,
                "Approved",
                50,
                f"fragment {fragment + 1}",
                *systems,
                choice,
            ]
        )
        answers.append((f"fragment {fragment + 1}", worker, *systems, choice))
    return Paper(
        {"Batch_1234_batch_results.csv": table(head, rows)},
        "choices",
        COMPARED,
        tuple(answers),
    )


def choices_in_rows() -> Paper:
    """One row per choice with both systems and the list that was chosen, or none."""
    found = _compared(("list 1", "list 2", "both", "none"), fragments=36)
    rows, answers = [], []
    for fragment, worker, choice in found:
        systems = ("SS", "KW") if fragment % 2 else ("KW", "SS")
        rows.append([worker, f"f{fragment + 1}", *systems, choice])
        answers.append((f"f{fragment + 1}", worker, *systems, choice))
    head = ["worker", "fragment", "list 1", "list 2", "answer"]
    return Paper({"ss_kw.csv": table(head, rows)}, "choices", COMPARED, tuple(answers))


def worker_per_row() -> Paper:
    """One row per worker and one column per fragment, in which the more relevant system is named."""
    found = _compared(("UI", "KW"))
    cells = {(worker, fragment): choice for fragment, worker, choice in found}
    workers = sorted({worker for _, worker, _ in found})
    head = ["worker", *(f"fragment {at + 1}" for at in range(24))]
    rows = [[worker, *(cells.get((worker, at), "") for at in range(24))] for worker in workers]
    answers = tuple((f"fragment {fragment + 1}", worker, choice) for fragment, worker, choice in found)
    return Paper({"ui_kw.csv": table(head, rows)}, "choices", CHOSEN, answers)


def worker_per_row_of_four() -> Paper:
    """The same with four answers."""
    found = _compared(("UI", "AW", "both", "none"))
    cells = {(worker, fragment): choice for fragment, worker, choice in found}
    workers = sorted({worker for _, worker, _ in found})
    head = ["WorkerId", *(f"HIT{at + 1}" for at in range(24))]
    rows = [[worker, *(cells.get((worker, at), "") for at in range(24))] for worker in workers]
    answers = tuple((f"HIT{fragment + 1}", worker, choice) for fragment, worker, choice in found)
    return Paper({"ui_aw.csv": table(head, rows)}, "choices", CHOSEN, answers)


PAPERS: dict[str, Callable[[], Paper]] = {
    make.__name__: make
    for make in (
        measures_side_by_side,
        abbreviated_measures,
        raters_side_by_side,
        file_per_measure_and_group,
        repetitions_per_measure_and_group,
        sheet_per_measure_and_group,
        laboratory_survey,
        survey_of_two_measures,
        topics_and_peers,
        sets_of_topics,
        systems_segments_and_raters,
        grid_per_subject,
        sheet_per_subject,
        judgments_of_everyone,
        crossed_answers,
        crossed_answers_with_texts,
        choices_of_a_batch,
        choices_in_rows,
        worker_per_row,
        worker_per_row_of_four,
    )
}
