"""Columns of the kinds of study."""

from data.kinds.kind import (
    CHECK,
    CHOICE,
    DOCUMENT,
    EVENT,
    EXPECTED,
    FIRST,
    GROUP_COLUMN,
    ITEM,
    JUDGMENT,
    OPTION,
    ORDER,
    QUESTION_AUTHOR,
    RANK,
    RATED_AT,
    RATER,
    SCORE,
    SECOND,
    SECONDS,
    STATUS,
    SUMMARY_AUTHOR,
    SURROGATE,
    CanonicalColumn,
    Kind,
    Repeats,
    free_text,
    number,
    text,
)
from data.kinds.names import FOREIGN

# ruff: noqa: SIM905 - lists of words read better as words


_SYSTEM_COLUMN = text(
    "system",
    "Which system or condition made the item.",
    *"system systemid sys sysid model modelid systemname codec method algorithm engine hrc peer peerid "
    "modality modalityid summarizer summarizerid generator runid chatbot bot assistant".split(),
    *FOREIGN["system"],
)
_TOPIC_COLUMN = text(
    "topic",
    "Which source the item comes from: a topic, a talker, a scene.",
    *"topic topicid src sourceid content scene talker speaker docset cluster prompt promptid".split(),
    *FOREIGN["topic"],
)
_SECONDS_COLUMN = number("seconds", "The seconds that this rating took.", *SECONDS)
_WEIGHT_COLUMN = CanonicalColumn(
    "weight",
    "number",
    "How much the answer counts in means, shares and scales, above 0.",
    tuple(
        "weight weights ratingweight raterweight sampleweight samplingweight surveyweight designweight "
        "gewicht gewichtung poids ponderation peso ponderacion 权重 重み".split()
    ),
    filled=True,
    called="weight",
    positive=True,
)
GRADE_COLUMNS = "grade columns"
"""Form of ratings: the number of votes in the column of each grade."""
RATINGS = Kind(
    "ratings",
    "Ratings: a number that a rater gave to an item",
    (
        text(
            "item_id",
            "What was rated: a clip, a summary, a translation.",
            *ITEM,
            required=True,
            called="item",
            text_in="text",
        ),
        text("rater_id", "Who rated it.", *RATER, required=True, called="rater"),
        number("score", "The rating itself, a number.", *SCORE, required=True),
        CanonicalColumn(
            "votes",
            "number",
            "How many unnamed raters gave this score to the item.",
            filled=True,
            called="number of votes",
            counts=True,
        ),
        text(
            "measure",
            "What was judged, where there is more than one: fluency, noisiness.",
            *"measure dimension criterion criteria aspect question scale attribute trait metric".split(),
            *FOREIGN["measure"],
            called="measure",
        ),
        _WEIGHT_COLUMN,
        GROUP_COLUMN,
        _SYSTEM_COLUMN,
        text("system_kind", "Whether a machine or a person made the item.", "systemkind", "systemtype"),
        _TOPIC_COLUMN,
        text(
            "condition",
            "Under which condition it was rated.",
            *"condition conditionid cond round turn phase block".split(),
            *FOREIGN["condition"],
        ),
        text("split", "Which part of the data: a year, a fold.", "split", "fold", "year", "part", "subset"),
        number("order", "The place of the rating in time: first, second, third.", *ORDER),
        CanonicalColumn("rated_at", "time", "When it was rated.", tuple(RATED_AT)),
        _SECONDS_COLUMN,
        text("text_id", "A key that identical texts share.", "textkey", "texthash", listed=False),
        free_text("text", "The text that was rated.", "text", "summary", "target", "hypothesis", "output"),
        free_text(
            "reference_text", "The text it was compared with.", "referencetext", "reference", "original"
        ),
        text(
            "check", "Marks trap and gold questions; these rows never enter a figure.", *CHECK, listed=False
        ),
        text("expected", "The answer that a trap or gold question expects.", *EXPECTED, listed=False),
        text("status", "Whether the assignment was approved or rejected.", *STATUS),
    ),
    row="rating",
    rows="ratings",
    switches=("@form", "@raters", "@decimal", "@scores", "@rejected", "@duplicates", "@seconds", "@header"),
    repeats=Repeats(
        ("item_id", "rater_id", "measure", "rater_group"),
        "rater_id",
        "the same rater has rated this item before",
    ),
    forms={
        "rater columns": "rater_id",
        "measure columns": "measure",
        "item columns": "item_id",
        GRADE_COLUMNS: "score",
    },
    cells="score",
    cells_in={GRADE_COLUMNS: "votes"},
    further=("rater attribute", "item number"),
    filters=("system", "condition", "topic", "split", "item_id"),
    study=True,
)


# ruff: noqa: SIM905 - lists of words read better as words


CHOICES = Kind(
    "choices",
    "Choices: which of two systems, or which label, a rater chose for an item",
    (
        text(
            "item_id",
            "What was compared or labelled: a fragment, a prompt, a picture.",
            *ITEM,
            required=True,
            called="item",
            text_in="text",
        ),
        text("rater_id", "Who chose.", *RATER, required=True, called="rater"),
        text(
            "choice",
            "What was chosen. Of two options: A or B, first or second, left or right, the system's name, "
            "both, neither, tie; beside 'neither', as in Chatbot Arena, a tie means both. Without "
            "options: any label.",
            *CHOICE,
            required=True,
        ),
        text(
            "option_a",
            "The system in first position (left, A, 1), row by row. Not needed for labels.",
            *FIRST,
            called="first option",
        ),
        text(
            "option_b",
            "The system in second position (right, B, 2), row by row. Not needed for labels.",
            *SECOND,
            called="second option",
        ),
        CanonicalColumn(
            "design",
            "text",
            "The question or task, where there are several: tone and intent, 2-choice and 4-choice. Each is analyzed "
            "separately.",
            tuple("design tasktype hitdesign questiontype format condition round turn".split()),
            called="question",
        ),
        _WEIGHT_COLUMN,
        GROUP_COLUMN,
        _SYSTEM_COLUMN,
        text(
            "expert", "The expert's choice, in the same words.", *"expert expertanswer expertchoice".split()
        ),
        text("gold", "The true answer, in the same words.", "gold", *EXPECTED),
        number("order", "The place of the choice in time: first, second, third.", *ORDER),
        CanonicalColumn("rated_at", "time", "When it was chosen.", tuple(RATED_AT)),
        number("seconds", "The seconds that this choice took.", *SECONDS),
        text("check", "Marks trap questions; these rows never enter a figure.", *CHECK, listed=False),
        text("status", "Whether the assignment was approved or rejected.", *STATUS),
        free_text("text", "The text that was compared or labelled.", "text"),
    ),
    row="choice",
    rows="choices",
    rated="judged",
    switches=("@form", "@raters", "@decimal", "@numbers", "@rejected", "@duplicates", "@seconds", "@header"),
    repeats=Repeats(
        ("item_id", "rater_id", "design", "option_a", "option_b", "rater_group"),
        "rater_id",
        "the same rater has chosen for this item before",
    ),
    forms={"rater columns": "rater_id", "measure columns": "design", "item columns": "item_id"},
    cells="choice",
    further=("rater attribute", "option number"),
    compared=("choice", "option_a", "option_b"),
    filters=("system", "design", "item_id"),
    study=True,
)


OPTION_COLUMNS, PLACE_COLUMNS, ENDS = "option columns", "place columns", "best and worst"
"""Forms of rankings: a rank in the column of each option, an option in the column of each place, and tuples of options
of which one is the best and one the worst."""
RANKINGS = Kind(
    "rankings",
    "Rankings: the options of a task, from the best to the worst",
    (
        text(
            "item_id",
            "The task for which options were ranked: a prompt, a document, a tuple of items.",
            *"promptid prompt tupleid tuple trialid trial queryid query questionid question topicid topic".split(),
            *ITEM,
            required=True,
            called="task",
            text_in="text",
        ),
        text("rater_id", "Who ranked.", *RATER, required=True, called="rater"),
        text("option", "What was ranked: a system, or an item.", *OPTION, required=True),
        CanonicalColumn(
            "rank",
            "number",
            "The rank, 1 for the best; equal ranks are ties. Of best-worst choices, 1 is the best, 3 the worst, and 2 "
            "the others.",
            RANK,
            required=True,
            filled=True,
            called="rank",
            positive=True,
        ),
        number(
            "position", "The place in which the option was shown, from 1.", *"position slot shownat".split()
        ),
        GROUP_COLUMN,
        CanonicalColumn("rated_at", "time", "When it was ranked.", tuple(RATED_AT)),
        number("seconds", "The seconds that this ranking took.", *SECONDS),
        text("check", "Marks trap questions; these rows never enter a figure.", *CHECK, listed=False),
        text("status", "Whether the assignment was approved or rejected.", *STATUS),
        free_text("text", "The text of the option or the task.", "text"),
    ),
    row="rank",
    rows="ranks",
    items="tasks",
    rated="ranked",
    switches=("@form", "@raters", "@decimal", "@rejected", "@header"),
    repeats=Repeats(
        ("item_id", "rater_id", "option", "rater_group"),
        "option",
        "the same rater has ranked this option in this task before",
        always=True,
        told="of an option by the same rater",
    ),
    forms={OPTION_COLUMNS: "option", PLACE_COLUMNS: "rank", ENDS: ""},
    cells="rank",
    cells_in={PLACE_COLUMNS: "option", ENDS: "option"},
    further=("rater attribute",),
    filters=("item_id",),
    study=True,
)


LABEL_COLUMNS = "label columns"
"""The form with a column for each label, 1 where it was chosen and 0 where not."""
LABEL_SETS = Kind(
    "label sets",
    "Label sets: all labels that a rater gave to an item",
    (
        text(
            "item_id",
            "What was labeled: a text, a picture, a clip.",
            *ITEM,
            required=True,
            called="item",
            text_in="text",
        ),
        text("rater_id", "Who labeled.", *RATER, required=True, called="rater"),
        CanonicalColumn(
            "labels",
            "labels",
            "All labels that the rater gave to the item, in one cell, or in a column each.",
            (*"labels tags categories classes topics emotions label tag".split(), *CHOICE),
            required=True,
            filled=True,
            called="set of labels",
        ),
        CanonicalColumn(
            "design",
            "text",
            "The question, where there are several: topic and tone. Each is analyzed separately.",
            tuple("design tasktype questiontype question".split()),
            called="question",
        ),
        GROUP_COLUMN,
        _SYSTEM_COLUMN,
        _TOPIC_COLUMN,
        CanonicalColumn(
            "gold", "labels", "All true labels of the item, written alike.", ("gold", "goldlabels", *EXPECTED)
        ),
        CanonicalColumn("rated_at", "time", "When it was labeled.", tuple(RATED_AT)),
        number("seconds", "The seconds that this took.", *SECONDS),
        text("check", "Marks trap questions; these rows never enter a figure.", *CHECK, listed=False),
        text("status", "Whether the assignment was approved or rejected.", *STATUS),
        free_text("text", "The text that was labeled.", "text"),
    ),
    row="label set",
    rows="label sets",
    rated="labeled",
    switches=("@form", "@separator", "@empty", "@decimal", "@rejected", "@header"),
    repeats=Repeats(
        ("item_id", "rater_id", "design", "rater_group"),
        "rater_id",
        "the same rater has labeled this item before",
        always=True,
    ),
    forms={
        "rater columns": "rater_id",
        "measure columns": "design",
        "item columns": "item_id",
        LABEL_COLUMNS: "",
    },
    cells="labels",
    further=("rater attribute",),
    filters=("system", "topic", "design", "item_id"),
    study=True,
)


# ruff: noqa: SIM905 - lists of words read better as words


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
            "The question, by a name or number that is unique within story and author.",
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


# ruff: noqa: SIM905 - lists of words read better as words


RELEVANCE = Kind(
    "relevance",
    "Relevance: judgments of documents from their surrogates",
    (
        text("rater_id", "Who judged.", *RATER, required=True, called="rater"),
        text(
            "event_id",
            "The event or query that documents were judged for.",
            *EVENT,
            required=True,
            called="event",
        ),
        text("document_id", "The document.", *DOCUMENT, required=True, called="document"),
        text(
            "surrogate",
            "What stood for the document: a summary system, or its full text.",
            *SURROGATE,
            required=True,
            called="surrogate",
        ),
        CanonicalColumn(
            "judgment",
            "judgment",
            "Whether the document was judged relevant: 1 or 0, yes or no, relevant or not relevant.",
            JUDGMENT,
            required=True,
            filled=True,
            called="judgment",
        ),
        CanonicalColumn(
            "gold",
            "judgment",
            "Whether the document is relevant, in the same words.",
            ("gold", *EXPECTED, *"ldc relevant isrelevant truerelevance qrel".split()),
        ),
        number("seconds", "The seconds that this judgment took.", *SECONDS),
        text("session", "The session: the first week, the second.", *"session sessionid week".split()),
        text(
            "presentation",
            "The place among presentations of the same document: first, second.",
            *"presentation presentationid presentationnumber position".split(),
        ),
        text(
            "order_label",
            "The order of presentations, such as D1S2D2; empty outside a study of orders.",
            *"orderlabel order ordering presentationorder".split(),
        ),
        text("status", "Whether the assignment was approved or rejected.", *STATUS),
    ),
    row="judgment",
    rows="judgments",
    items="documents",
    rated="judged",
    item=("event_id", "document_id"),
    switches=("@form", "@decimal", "@rejected", "@duplicates", "@header"),
    forms={"surrogate columns": "surrogate"},
    cells="judgment",
    repeats=Repeats(
        ("rater_id", "event_id", "document_id", "surrogate", "session", "presentation"),
        "rater_id",
        "the same rater has judged this document from this surrogate before",
        told="of a document by the same rater",
    ),
    further=("rater attribute", "item number"),
    numbers_of=("event_id", "document_id", "surrogate"),
    numbered="surrogate",
    telling=(EVENT, DOCUMENT, SURROGATE, JUDGMENT),
    filters=("event_id", "surrogate", "session"),
    study=True,
)
