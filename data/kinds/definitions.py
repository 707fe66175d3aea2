# ruff: noqa: SIM905 - lists of words read better as words
"""The declared kinds of tables: their columns, what these hold, and the names people give them.

Declared once, so that the import, the page and the proposal know the same; a new kind is one more entry.
What is special to one kind is a field of its entry; only what a user should be warned of is code of its own
(`data.importing.warning_signs`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from data.dataset import Role
from data.errors import BadMapping

Type = Literal["text", "free text", "number", "time", "answer", "judgment"]
"""What a column holds. An answer is stored as R, P, I or N, a judgment as 1 or 0, whatever words say so."""
CODED: tuple[Type, ...] = ("answer", "judgment")


@dataclass(frozen=True)
class CanonicalColumn:
    """A column that figures know, what it holds, and the names people give it (lower case, letters only).

    `required`: it must be mapped. `filled`: where it is mapped, a row without it is set aside; `called` is
    its name in such a reason. `positive`: so is a row where it is not above 0.
    """

    name: str
    type: Type
    help: str
    names: tuple[str, ...] = ()
    required: bool = False
    filled: bool = False
    called: str = ""
    positive: bool = False


@dataclass(frozen=True)
class Repeats:
    """Rows that say again what an earlier row said of the same `key` are set aside for a `reason`, told of
    `column`. With `always` this is no choice of the user; `differing` is the reason where further columns
    differ. `told` says on the page what is repeated, and by whom."""

    key: tuple[str, ...]
    column: str
    reason: str
    differing: str = ""
    always: bool = False
    told: str = "of an item by the same rater"


@dataclass(frozen=True)
class Kind:
    """A kind of table.

    row, rows : what one row is called, and many
    items, raters : what its items and its raters are called
    switches : those of `data.mapping.plan.SWITCHES` that apply; with "@form" tables may be wide
    repeats : what is done about rows that repeat others
    forms : its wide forms, and which column the names of their columns stand for
    cells : the column that the filled cells of a wide table are
    further : which columns it may have besides its own
    numbers_of : a further number must be the same in all rows that agree in these columns
    numbered : what has those numbers
    compared : the column that says which of two options was chosen, and the two columns that hold these; they
        are mapped together or not at all
    needs_further : whether it must have one
    telling : names of the file's columns by which it is recognised, one of each group
    study : whether it can be opened and looked at for itself
    used : a sentence on where it is used, for what is no study
    """

    name: str
    title: str
    columns: tuple[CanonicalColumn, ...]
    row: str = "row"
    rows: str = "rows"
    items: str = "items"
    raters: str = "raters"
    switches: tuple[str, ...] = ("@decimal", "@header")
    repeats: Repeats | None = None
    forms: Mapping[str, str] = field(default_factory=dict)
    cells: str = ""
    further: tuple[Role, ...] = ()
    numbers_of: tuple[str, ...] = ("item_id",)
    numbered: str = "item"
    compared: tuple[str, str, str] | None = None
    needs_further: bool = False
    telling: tuple[tuple[str, ...], ...] = ()
    study: bool = False
    used: str = ""

    def column(self, name: str) -> CanonicalColumn | None:
        return next((column for column in self.columns if column.name == name), None)

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.required)

    def role(self, name: str) -> Role:
        """What a column with this name is in a table of this kind."""
        if self.column(name):
            return "canonical"
        attribute = name.startswith("rater_") and "rater attribute" in self.further
        return "rater attribute" if attribute else "item number"


def _text(name: str, told: str, *names: str, required: bool = False, called: str = "") -> CanonicalColumn:
    return CanonicalColumn(name, "text", told, names, required, required or bool(called), called or name)


def _number(
    name: str, told: str, *names: str, required: bool = False, positive: bool = False
) -> CanonicalColumn:
    return CanonicalColumn(name, "number", told, names, required, required, name, positive)


def _free(name: str, told: str, *names: str, required: bool = False, called: str = "") -> CanonicalColumn:
    return CanonicalColumn(name, "free text", told, names, required, required, called or name)


_RATER = (
    "raterid rater workerid worker annotatorid annotator subjectid subject userid user judgeid judge "
    "assessorid "
    "assessor participantid participant labelerid labeler labellerid labeller evaluatorid evaluator "
    "listenerid "
    "listener viewerid viewer observerid observer reviewerid reviewer respondentid respondent performer "
    "performerid turkerid turker coder coderid prolificid prolificpid responseid person personid"
).split()
_ITEM = (
    "itemid item stimulusid stimulus taskid task clipid clip fileid file filename documentid document docid "
    "videoid video audio audioid imageid image sampleid sample segmentid segid segment seg seq sequence "
    "sequenceid "
    "unitid unit utteranceid utterance sentenceid sentence textid snippet questionid hitid id pvs"
).split()
_SCORE = (
    "score rating ratings vote votes mos label labels value answer response opinion opinionscore judgment "
    "judgement grade rank points quality overall overallquality ovrl rate stars"
).split()
_GROUP = (
    "ratergroup group platform workergroup source cohort panel population ratertype workertype experiment "
    "studygroup lab environment pool"
).split()
_SECONDS = (
    "seconds duration durationinseconds worktimeinseconds worktime timesec timesecqa timeseconds rt "
    "reactiontime "
    "responsetime leadtime timespent elapsed elapsedseconds timetaken secs dwelltime"
).split()
_RATED_AT = (
    "ratedat timestamp tstamp time datetime date submittime submittedat submitted createdat created completedat "
    "recordeddate "
    "timestampqa enddate endtime when"
).split()
_CHECK = (
    "check checks trap istrap trapquestion gold isgold goldset control iscontrol attentioncheck attention "
    "honeypot "
    "ischeck catch iscatch golden isgolden"
).split()
EXPECTED = (
    "expected expectedscore expectedanswer correctanswer goldanswer goldscore goldlabel truelabel "
    "groundtruth truth "
    "trapanswer tpans goldclipsans"
).split()
_STATUS = "status assignmentstatus approvalstatus reviewstatus decision".split()
_ORDER = "order repetition repetitionid trial trialindex trialnumber round iteration replicate".split()
_CHOICE = (
    "choice chosen preference preferred winner accept selected selection verdict label labels class category "
    "annotation answer response vote judgment judgement outcome result opinion value rating score"
).split()
_FIRST = (
    "optiona systema modela option1 system1 model1 lista list1 candidatea candidate1 arma left first a"
).split()
_SECOND = (
    "optionb systemb modelb option2 system2 model2 listb list2 candidateb candidate2 armb right second b"
).split()
_SCU = ("scuid", "scu", "contentunit", "contentunitid", "scuuid")
_WEIGHT = ("weight", "scuweight")
_SUMMARY_AUTHOR = tuple(
    "summaryauthor summaryauthorid summaryby summarywriter summaryof summariser summarizer summariserid "
    "summarizerid summarysystem summarysource".split()
)
_QUESTION_AUTHOR = tuple(
    "questionauthor questionauthorid questionby questionwriter questionof questioner questionerid asker askerid "
    "askedby questionsource".split()
)
_EVENT = tuple("eventid event queryid query topicid topic informationneed need".split())
_DOCUMENT = tuple("documentid document docid doc docno articleid article itemid item".split())
_SURROGATE = tuple(
    "surrogate surrogateid surrogatetype summarytype summarysystem presentedas shownas view system systemid "
    "condition summary".split()
)
FULL_TEXT = ("fulltext", "full", "text", "document", "fulldocument", "original")
"""How the surrogate is called that is the document itself, in the order of likelihood; letters and digits only."""
_JUDGMENT = tuple(
    "judgment judgement relevancejudgment relevancejudgement relevant relevance isrelevant judgedrelevant "
    "decision".split()
)
_SECONDS_COLUMN = _number("seconds", "The seconds that this rating took.", *_SECONDS)
_GROUP_COLUMN = _text(
    "rater_group",
    "Which group of raters: laboratory, crowd, a platform. Groups are compared.",
    *_GROUP,
    called="group",
)

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "ratings",
            "Ratings: a number that a rater gave to an item",
            (
                _text(
                    "item_id",
                    "What was rated: a clip, a summary, a translation.",
                    *_ITEM,
                    required=True,
                    called="item",
                ),
                _text("rater_id", "Who rated it.", *_RATER, required=True, called="rater"),
                _number("score", "The rating itself, a number.", *_SCORE, required=True),
                _text(
                    "measure",
                    "What was judged, where there is more than one: fluency, noisiness.",
                    *"measure dimension criterion criteria aspect question scale attribute metric".split(),
                    called="measure",
                ),
                _GROUP_COLUMN,
                _text(
                    "system",
                    "Which system or condition made the item.",
                    *"system systemid model modelid systemname codec method algorithm engine hrc".split(),
                ),
                _text(
                    "system_kind", "Whether a machine or a person made the item.", "systemkind", "systemtype"
                ),
                _text(
                    "topic",
                    "Which source the item comes from: a topic, a talker, a scene.",
                    *"topic topicid src sourceid content scene talker speaker docset cluster prompt promptid".split(),
                ),
                _text("condition", "Under which condition it was rated.", "condition", "conditionid", "cond"),
                _text(
                    "split",
                    "Which part of the data: a year, a fold.",
                    "split",
                    "fold",
                    "year",
                    "part",
                    "subset",
                ),
                _number(
                    "order",
                    "The place of the rating in time: first, second, third.",
                    *_ORDER,
                ),
                CanonicalColumn("rated_at", "time", "When it was rated.", tuple(_RATED_AT)),
                _SECONDS_COLUMN,
                _text("text_id", "A key that identical texts share.", "textkey", "texthash"),
                _free(
                    "text", "The text that was rated.", "text", "summary", "target", "hypothesis", "output"
                ),
                _free(
                    "reference_text",
                    "The text it was compared with.",
                    "referencetext",
                    "reference",
                    "original",
                ),
                _text("check", "Marks trap and gold questions; these rows never enter a figure.", *_CHECK),
                _text("expected", "The answer that a trap or gold question expects.", *EXPECTED),
                _text("status", "Whether the assignment was approved or rejected.", *_STATUS),
            ),
            row="rating",
            rows="ratings",
            switches=(
                "@form",
                "@raters",
                "@decimal",
                "@scores",
                "@rejected",
                "@duplicates",
                "@header",
            ),
            repeats=Repeats(
                ("item_id", "rater_id", "measure", "rater_group"),
                "rater_id",
                "the same rater has rated this item before",
            ),
            forms={
                "rater columns": "rater_id",
                "measure columns": "measure",
                "item columns": "item_id",
            },
            cells="score",
            further=("rater attribute", "item number"),
            study=True,
        ),
        Kind(
            "contributors",
            "Contributors: the content units of a pyramid, and the words that express them",
            (
                _text(
                    "topic",
                    "Which topic the summary is of.",
                    *"topic topicid docset cluster".split(),
                    required=True,
                ),
                _text(
                    "item_id",
                    "The summary, by the same name as in the ratings.",
                    *_ITEM,
                    *"summaryid summary peer peerid".split(),
                    required=True,
                    called="item",
                ),
                _text(
                    "scu_id",
                    "The content unit.",
                    *_SCU,
                    required=True,
                    called="content unit",
                ),
                _free(
                    "contributor_text",
                    "The words of the summary that express the unit.",
                    *"contributortext contributor contribution text words".split(),
                    required=True,
                    called="contributor's text",
                ),
                _number(
                    "weight",
                    "In how many model summaries the unit occurs.",
                    *_WEIGHT,
                    required=True,
                    positive=True,
                ),
                _text("condition", "Main or update.", "condition", "conditionid", "cond"),
                _text("rater_id", "The assessor.", *_RATER),
                _text("is_model", "Whether a person wrote the summary.", "ismodel", "model"),
            ),
            row="contributor",
            rows="contributors",
            telling=(_SCU, _WEIGHT),
            used="Open the ratings of the same summaries and choose it on the Assessors page, under Pyramid.",
        ),
        Kind(
            "metrics",
            "Metrics: numbers known for each item",
            (
                _text(
                    "item_id",
                    "The item, by the same name as in the ratings.",
                    *_ITEM,
                    required=True,
                    called="item",
                ),
            ),
            repeats=Repeats(
                ("item_id",),
                "item_id",
                "the item has a row already, with the same numbers",
                "the item has a row already, with other numbers",
                always=True,
            ),
            further=("item number",),
            needs_further=True,
            used="Open the ratings of the same items and choose it on the Assessors page, under Automatic "
            "metrics.",
        ),
        Kind(
            "choices",
            "Choices: which of two systems, or which label, a rater chose for an item",
            (
                _text(
                    "item_id",
                    "What was compared or labelled: a fragment, a prompt, a picture.",
                    *_ITEM,
                    required=True,
                    called="item",
                ),
                _text("rater_id", "Who chose.", *_RATER, required=True, called="rater"),
                _text(
                    "choice",
                    "What was chosen. Of two options: A or B, first or second, left or right, the system's name, "
                    "both, neither, tie; beside 'neither', as in Chatbot Arena, a tie means both. Without "
                    "options: any label.",
                    *_CHOICE,
                    required=True,
                ),
                _text(
                    "option_a",
                    "The system in first position (left, A, 1), row by row. Not needed for labels.",
                    *_FIRST,
                    called="first option",
                ),
                _text(
                    "option_b",
                    "The system in second position (right, B, 2), row by row. Not needed for labels.",
                    *_SECOND,
                    called="second option",
                ),
                _text(
                    "design",
                    "Under which design it was asked: 2-choice, 4-choice. Designs are looked at apart.",
                    *"design tasktype hitdesign questiontype format".split(),
                ),
                _GROUP_COLUMN,
                _text(
                    "expert",
                    "The expert's choice, in the same words.",
                    *"expert expertanswer expertchoice".split(),
                ),
                _text("gold", "The true answer, in the same words.", "gold", *EXPECTED),
                _number("order", "The place of the choice in time: first, second, third.", *_ORDER),
                CanonicalColumn("rated_at", "time", "When it was chosen.", tuple(_RATED_AT)),
                _number("seconds", "The seconds that this choice took.", *_SECONDS),
                _text("check", "Marks trap questions; these rows never enter a figure.", *_CHECK),
                _text("status", "Whether the assignment was approved or rejected.", *_STATUS),
            ),
            row="choice",
            rows="choices",
            switches=("@raters", "@decimal", "@numbers", "@rejected", "@duplicates", "@header"),
            repeats=Repeats(
                ("item_id", "rater_id", "design", "option_a", "option_b", "rater_group"),
                "rater_id",
                "the same rater has chosen for this item before",
            ),
            further=("rater attribute",),
            compared=("choice", "option_a", "option_b"),
            study=True,
        ),
        Kind(
            "comprehension",
            "Comprehension: questions of one author answered from another's summary",
            (
                _text(
                    "story_id",
                    "The story that was summarised.",
                    *"storyid story articleid article newsid news documentid document docid doc topicid topic "
                    "sourceid source".split(),
                    required=True,
                    called="story",
                ),
                _text(
                    "summary_author",
                    "Who wrote the summary, a person or a system.",
                    *_SUMMARY_AUTHOR,
                    required=True,
                    called="summary's author",
                ),
                _text(
                    "question_author",
                    "Who asked the question.",
                    *_QUESTION_AUTHOR,
                    required=True,
                    called="question's author",
                ),
                _text(
                    "question_id",
                    "The question, by a name or number of its own within story and author.",
                    *"questionid questionnumber questionno questionnr question qid q".split(),
                    required=True,
                    called="question",
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
                _text("judge_id", "Who judged the answer.", *_RATER),
                _text(
                    "author_kind",
                    "Whether a person or a machine wrote the summary.",
                    *"authorkind authortype summaryauthorkind summaryauthortype summarykind summarytype "
                    "systemkind systemtype kind".split(),
                ),
                _text(
                    "story_type",
                    "The type of the story: factual or not.",
                    *"storytype storykind articletype documenttype genre type".split(),
                ),
                _free("summary_text", "The summary.", *"summarytext summary abstract".split()),
                _number(
                    "summary_characters",
                    "The summary's length in characters; counted from the text where it is left out.",
                    *"summarycharacters characters chars summarychars summarylength length".split(),
                ),
                _number(
                    "summary_words",
                    "The summary's length in words; counted from the text where it is left out.",
                    *"summarywords words wordcount".split(),
                ),
                _free("question_text", "The question's words.", *"questiontext question".split()),
                _free(
                    "expected_answer",
                    "The answer that its author expects.",
                    *"answerinthestory storyanswer referenceanswer answerkey key".split(),
                    *EXPECTED,
                ),
                _free(
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
            switches=("@answers", "@decimal", "@duplicates", "@header"),
            repeats=Repeats(
                ("story_id", "summary_author", "question_author", "question_id", "judge_id"),
                "question_id",
                "this answer has been judged before by the same judge",
                told="to a question by the same judge",
            ),
            telling=(_SUMMARY_AUTHOR, _QUESTION_AUTHOR),
            study=True,
        ),
        Kind(
            "relevance",
            "Relevance: judgments of documents from their surrogates",
            (
                _text("rater_id", "Who judged.", *_RATER, required=True, called="rater"),
                _text(
                    "event_id",
                    "The event or query that documents were judged for.",
                    *_EVENT,
                    required=True,
                    called="event",
                ),
                _text(
                    "document_id",
                    "The document.",
                    *_DOCUMENT,
                    required=True,
                    called="document",
                ),
                _text(
                    "surrogate",
                    "What stood for the document: a summary system, or its full text.",
                    *_SURROGATE,
                    required=True,
                    called="surrogate",
                ),
                CanonicalColumn(
                    "judgment",
                    "judgment",
                    "Whether the document was judged relevant: 1 or 0, yes or no, relevant or not relevant.",
                    _JUDGMENT,
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
                _number("seconds", "The seconds that this judgment took.", *_SECONDS),
                _text(
                    "session", "The session: the first week, the second.", *"session sessionid week".split()
                ),
                _text(
                    "presentation",
                    "The place among presentations of the same document: first, second.",
                    *"presentation presentationid presentationnumber position".split(),
                ),
                _text(
                    "order_label",
                    "The order of presentations, such as D1S2D2; empty outside a study of orders.",
                    *"orderlabel order ordering presentationorder".split(),
                ),
            ),
            row="judgment",
            rows="judgments",
            items="documents",
            switches=("@form", "@decimal", "@duplicates", "@header"),
            forms={"surrogate columns": "surrogate"},
            cells="judgment",
            repeats=Repeats(
                ("rater_id", "event_id", "document_id", "surrogate", "session", "presentation"),
                "rater_id",
                "the same rater has judged this document from this surrogate before",
                told="of a document by the same rater",
            ),
            further=("item number",),
            numbers_of=("event_id", "document_id", "surrogate"),
            numbered="surrogate",
            telling=(_EVENT, _DOCUMENT, _SURROGATE, _JUDGMENT),
            study=True,
        ),
    )
}
"""All kinds of tables, by name. The order of an entry's names is their weight: the first fits best."""


def kind_named(name: str) -> Kind:
    """The kind of that name.

    Raises
    ------
    BadMapping
        where there is none.
    """
    kind = KINDS.get(name)
    if kind is None:
        raise BadMapping(f"kind must be one of {', '.join(KINDS)}; got {name!r}")
    return kind
