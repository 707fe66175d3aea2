# ruff: noqa: SIM905 - lists of words read better as words
"""Comprehension: questions of one author answered from another's summary."""

from data.kinds.kind import CanonicalColumn, Kind, Repeats, free_text, number, text
from data.kinds.shared_columns import EXPECTED, QUESTION_AUTHOR, RATER, SUMMARY_AUTHOR

COMPREHENSION = Kind(
    "comprehension",
    "Comprehension: questions of one author answered from another's summary",
    (
        text(
            "story_id",
            "The story that was summarised.",
            *"storyid story articleid article newsid news documentid document docid doc topicid topic "
            "sourceid source".split(),
            required=True,
            called="story",
        ),
        text(
            "summary_author",
            "Who wrote the summary, a person or a system.",
            *SUMMARY_AUTHOR,
            required=True,
            called="summary's author",
        ),
        text(
            "question_author",
            "Who asked the question.",
            *QUESTION_AUTHOR,
            required=True,
            called="question's author",
        ),
        text(
            "question_id",
            "The question, by a name or number of its own within story and author.",
            *"questionid questionnumber questionno questionnr question qid q".split(),
            required=True,
            called="question",
            text_in="question_text",
        ),
        CanonicalColumn(
            "answer",
            "answer",
            "What the judge found of the answer in the summary: R relevant, P partially relevant, I "
            "irrelevant, N not found; the words or numbers for these are understood too.",
            tuple(
                "answer judgment judgement verdict judged result grade category class label rating score "
                "relevance answerjudgment answerclass".split()
            ),
            required=True,
            filled=True,
            called="answer",
        ),
        text("judge_id", "Who judged the answer.", *RATER),
        text(
            "author_kind",
            "Whether a person or a machine wrote the summary.",
            *"authorkind authortype summaryauthorkind summaryauthortype summarykind summarytype "
            "systemkind systemtype kind".split(),
        ),
        text(
            "story_type",
            "The type of the story: factual or not.",
            *"storytype storykind articletype documenttype genre type".split(),
        ),
        free_text("summary_text", "The summary.", *"summarytext summary abstract".split()),
        number(
            "summary_characters",
            "The summary's length in characters; counted from the text where it is left out.",
            *"summarycharacters characters chars summarychars summarylength length".split(),
        ),
        number(
            "summary_words",
            "The summary's length in words; counted from the text where it is left out.",
            *"summarywords words wordcount".split(),
        ),
        free_text("question_text", "The question's words.", *"questiontext question".split()),
        free_text(
            "expected_answer",
            "The answer that its author expects.",
            *"answerinthestory storyanswer referenceanswer answerkey key".split(),
            *EXPECTED,
        ),
        free_text(
            "found_answer",
            "The answer found in the summary.",
            *"foundanswer answerfound answertext answergiven summaryanswer givenanswer response "
            "answer".split(),
        ),
    ),
    row="answer",
    rows="answers",
    items="stories",
    raters="authors",
    rated="summarised",
    item=("story_id",),
    rater="summary_author",
    switches=("@answers", "@decimal", "@duplicates", "@header"),
    repeats=Repeats(
        ("story_id", "summary_author", "question_author", "question_id", "judge_id"),
        "question_id",
        "this answer has been judged before by the same judge",
        told="to a question by the same judge",
    ),
    further=("rater attribute",),
    telling=(SUMMARY_AUTHOR, QUESTION_AUTHOR),
    filters=("story_id", "story_type"),
    study=True,
)
