# ruff: noqa: SIM905 - lists of words read better as words
"""A kind of table: its columns, their types, the names that people give them, and its rules; shared columns."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from data.dataset import Role
from data.kinds.names import FOREIGN

Type = Literal["text", "free text", "number", "time", "answer", "judgment", "labels"]
"""Content of a column. An answer is stored as R, P, I or N, a judgment as 1 or 0, whatever words say so, and a set of
labels as a list, however it is written."""
CODED: tuple[Type, ...] = ("answer", "judgment", "labels")
LONGEST_NAME = 1000
"""Characters that a name may have: of a rater, a group, a system, and whatever else pages list."""


@dataclass(frozen=True)
class CanonicalColumn:
    """Canonical column, with its type and the names that people give it (lower case, letters only).

    `required`: it must be mapped. `filled`: where it is mapped, a row without it is set aside; `called` is
    its name in such a reason. `positive`: so is a row where it is not above 0. `counts`: a row stands for as many as
    it says, a whole number from 0 on, which no name alone tells.

    `listed`: pages list what a column of this type "text" holds, so a row with more than `LONGEST_NAME` characters in
    it is set aside. `text_in`: not where it names an item by its text; then an id is made of the text, which is kept
    in the column `text_in` ("" where it is kept nowhere).
    """

    name: str
    type: Type
    help: str
    names: tuple[str, ...] = ()
    required: bool = False
    filled: bool = False
    called: str = ""
    positive: bool = False
    counts: bool = False
    listed: bool = True
    text_in: str | None = None

    @property
    def title(self) -> str:
        """Name of the column on a page."""
        return (self.called or self.name).replace("_", " ")

    @cached_property
    def preference(self) -> Mapping[str, int]:
        """Order of its names in plain letters, the best first."""
        ordered = (self.name.replace("_", ""), *self.names)
        return {name: place for place, name in reversed([*enumerate(ordered)])}


@dataclass(frozen=True)
class Repeats:
    """Rule for rows that repeat the `key` of an earlier row: they are set aside for a `reason`, reported for
    `column`. With `always` this is no choice of the user; `differing` is the reason where further columns differ.
    `told` says on the page what is repeated, and by whom."""

    key: tuple[str, ...]
    column: str
    reason: str
    differing: str = ""
    always: bool = False
    told: str = "of an item by the same rater"


@dataclass(frozen=True)
class Kind:
    """A kind of table.

    row, rows : name of one row, and of many
    items, raters : names of its items and of its raters
    rated : the verb for what raters do with items
    item, rater : the columns that tell items and raters apart
    switches : those of `data.mapping.plan.SWITCHES` that apply; with "@form" tables may be wide
    repeats : the treatment of rows that repeat others
    forms : its wide forms, and which column the names of their columns stand for
    cells : the column that the filled cells of a wide table are
    cells_in : the same in the forms where it is another one
    further : the roles of columns that it may have besides its own
    numbers_of : a further number must be the same in all rows that agree in these columns
    numbered : the noun for what has those numbers
    compared : the column that says which of two options was chosen, and the two columns that hold these; they
        are mapped together or not at all
    needs_further : whether it must have one
    telling : names of the file's columns by which it is recognised, one of each group
    filters : columns by whose names a page may look at some of the rows only; "system" of pairs is what was compared
    study : True where it can be opened as a study
    used : a sentence on where a kind that is no study is used
    """

    name: str
    title: str
    columns: tuple[CanonicalColumn, ...]
    row: str = "row"
    rows: str = "rows"
    items: str = "items"
    raters: str = "raters"
    rated: str = "rated"
    item: tuple[str, ...] = ("item_id",)
    rater: str = "rater_id"
    switches: tuple[str, ...] = ("@decimal", "@header")
    repeats: Repeats | None = None
    forms: Mapping[str, str] = field(default_factory=dict)
    cells: str = ""
    cells_in: Mapping[str, str] = field(default_factory=dict)
    further: tuple[Role, ...] = ()
    numbers_of: tuple[str, ...] = ("item_id",)
    numbered: str = "item"
    compared: tuple[str, str, str] | None = None
    needs_further: bool = False
    telling: tuple[tuple[str, ...], ...] = ()
    filters: tuple[str, ...] = ()
    study: bool = False
    used: str = ""

    def column(self, name: str) -> CanonicalColumn | None:
        return next((column for column in self.columns if column.name == name), None)

    def cells_of(self, form: object) -> str:
        """Return the column that holds the filled cells of a wide form."""
        return self.cells_in.get(str(form), self.cells)

    def title_of(self, name: str) -> str:
        """Return the title of a canonical column on a page, the name of others."""
        column = self.column(name)
        return name if column is None else column.title

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.required)

    def role(self, name: str) -> Role:
        """Return the role of a column in a table of this kind."""
        if self.column(name):
            return "canonical"
        if name.startswith("rater_") and "rater attribute" in self.further:
            return "rater attribute"
        of_option = name.endswith(("_a", "_b")) and "option number" in self.further
        return "option number" if of_option else "item number"


def text(
    name: str,
    help: str,
    *names: str,
    required: bool = False,
    called: str = "",
    listed: bool = True,
    text_in: str | None = None,
) -> CanonicalColumn:
    filled, called = required or bool(called), called or name
    return CanonicalColumn(
        name, "text", help, names, required, filled, called, listed=listed, text_in=text_in
    )


def number(
    name: str, help: str, *names: str, required: bool = False, positive: bool = False
) -> CanonicalColumn:
    return CanonicalColumn(name, "number", help, names, required, required, name, positive)


def free_text(name: str, help: str, *names: str, required: bool = False, called: str = "") -> CanonicalColumn:
    return CanonicalColumn(name, "free text", help, names, required, required, called or name)


RATER = (
    "raterid rater pid workerid worker annotatorid annotator subjectid subject userid user judgeid judge "
    "assessorid moderatorid moderator "
    "assessor participantid participant labelerid labeler labellerid labeller evaluatorid evaluator "
    "listenerid "
    "listener cupper viewerid viewer observerid observer reviewerid reviewer respondentid respondent performer "
    "performerid turkerid turker coder coderid grader graderid juror jurorid panelist panelistid panellist panellistid "
    "taster tasterid tester examiner corrector scorer referee radiologist clinician prolificid prolificpid responseid "
    "person personid reader readerid raterinitials initials emailaddress email md5hashofparticipantsipaddress "
    "annotatedby ratedby labeledby labelledby evaluatedby reviewedby judgedby codedby scoredby marker "
    "consumer consumerid login uid"
).split() + FOREIGN["rater"]
ITEM = (
    "itemid item stimulusid stimulus taskid task clipid clip fileid file filename documentid document docid "
    "videoid video audio audioid imageid image sampleid sample segmentid segid segment seg seq sequence "
    "sequenceid "
    "unitid unit utteranceid utterance sentenceid sentence textid snippet questionid hitid id pvs "
    "summaryid docid promptid recordid fragment fragmentid hit commentid postid tweetid messageid articleid"
).split() + FOREIGN["item"]
SCORE = (
    (
        "score rating ratings vote votes mos label labels value answer response opinion opinionscore judgment "
        "judgement grade points quality overall overallquality ovrl rate stars acr dcr"
    ).split()
    + FOREIGN["score"]
    + FOREIGN["value"]
    + FOREIGN["choice"]
    + ["rank", "y"]
)
GROUP = (
    "ratergroup group platform workergroup source cohort panel population ratertype workertype experiment "
    "studygroup lab environment pool"
).split() + FOREIGN["group"]
SECONDS = (
    "seconds duration durationinseconds worktimeinseconds worktime timesec timesecqa timeseconds rt "
    "reactiontime "
    "responsetime leadtime timespent elapsed elapsedseconds timetaken secs dwelltime"
).split() + FOREIGN["seconds"]
RATED_AT = (
    "ratedat timestamp tstamp time datetime date submittime submittedat submitted createdat created completedat "
    "recordeddate "
    "timestampqa enddate endtime when"
).split() + FOREIGN["rated_at"]
CHECK = (
    "check checks trap istrap trapquestion gold isgold goldset control iscontrol attentioncheck attention "
    "honeypot "
    "labelgold ischeck catch iscatch golden isgolden isattentioncheck isattention"
).split() + FOREIGN["check"]
EXPECTED = (
    "expected expectedscore expectedanswer correctanswer goldanswer goldscore goldlabel goldrating truelabel "
    "answergold scoregold labelgold ratinggold "
    "groundtruth truth "
    "trapanswer tpans goldclipsans"
).split() + FOREIGN["expected"]
STATUS = "status assignmentstatus approvalstatus reviewstatus".split() + FOREIGN["status"]
ORDER = (
    "order repetition repetitionid trial trialindex trialnumber iteration replicate".split()
    + FOREIGN["order"]
)
CHOICE = (
    (
        "choice chosen preference pref preferred winner accept selected selection verdict label labels class "
        "category annotation answer response vote judgment judgement outcome result opinion better bettermodel "
        "bettersystem betterresponse betteroutput preferredmodel preferredsystem preferredresponse value rating score "
        "decision"
    ).split()
    + FOREIGN["choice"]
    + FOREIGN["score"]
    + FOREIGN["value"]
)
PREFERENCES = tuple("winner better prefer praferenz bevorzugt vorzug gewinner".split())
"""Beginnings of names of choices between two options."""
CHOSEN_OPTIONS = (*PREFERENCES, "chosen", "selected")
"""Beginnings of names of columns that hold the chosen option itself."""
PREFERENCE_NAMES = frozenset(("preference", "preferred", "winner"))
"""Full names of answers in lists that say which of two options was better."""
FIRST = (
    "optiona systema sysa modela option1 system1 model1 lista list1 candidatea candidate1 arma left first a "
    "firstoption firstsystem firstmodel firstlist leftsystem systemleft"
).split() + FOREIGN["first"]
SECOND = (
    "optionb systemb sysb modelb option2 system2 model2 listb list2 candidateb candidate2 armb right second b "
    "secondoption secondsystem secondmodel secondlist rightsystem systemright"
).split() + FOREIGN["second"]
OPTION = (
    "option optionid candidate candidateid alternative system systemid sys model modelid method response responseid "
    "output summary translation version engine codec item itemid name"
).split() + FOREIGN["system"]
RANK = tuple("rank ranks ranking ranked rang rangfolge platz classement rango 名次 順位".split())
SCU = ("scuid", "scu", "contentunit", "contentunitid", "scuuid")
WEIGHT = ("weight", "scuweight")
SUMMARY_AUTHOR = tuple(
    "summaryauthor summaryauthorid summaryby summarizedby summarisedby summarywriter summaryof summariser "
    "summarizer summariserid summarizerid summarysystem summarysource".split()
)
QUESTION_AUTHOR = tuple(
    "questionauthor questionauthorid questionby questionsby questionwriter questionof questioner questionerid asker "
    "askerid askedby questionsource".split()
)
EVENT = tuple("eventid event queryid query topicid topic informationneed need".split())
DOCUMENT = tuple("documentid document docid doc docno articleid article itemid item".split())
SURROGATE = tuple(
    "surrogate surrogateid surrogatetype summarytype summarysystem presentedas shownas view system systemid "
    "condition summary".split()
)
FULL_TEXT = ("fulltext", "full", "text", "document", "fulldocument", "original")
"""Names of the surrogate that is the document itself, in the order of likelihood; letters and digits only."""
JUDGMENT = tuple(
    "judgment judgement relevancejudgment relevancejudgement relevant relevance isrelevant judgedrelevant "
    "decision".split()
)

GROUP_COLUMN = text(
    "rater_group",
    "Which group of raters: laboratory, crowd, a platform. Groups are compared.",
    *GROUP,
    called="group",
)
ATTRIBUTES = (
    *("age", "gender", "sex", "country", "device", "knowledge", "education", "nativelanguage"),
    *FOREIGN["attribute"],
)
"""Names of attributes of raters."""


SIDES = (("a", "b"), ("left", "right"), ("first", "second"), ("1", "2"))
"""Names of the first option and of the second."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_FILLING = frozenset(
    "conv metadata sum number num assistant model option system response answer output candidate".split()
)
"""Words that do not describe the number in a column."""
_SYSTEMS = frozenset("system sys model method condition codec engine algorithm variant generator".split())
_OF_OPTIONS = _SYSTEMS | _FILLING | {"id", "name"}
"""Words in names of columns that name the system of an option."""
_NO_QUANTITIES = frozenset(
    (*SCORE, *CHOICE, *"id uuid index seed turn elo winner better date time timestamp".split())
)
"""Words of columns of answers, or of ids."""


def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a column's name, in lower case.

    >>> split_words("sum_assistant_a_tokens"), split_words("lengthA"), split_words("tokens1")
    (('sum', 'assistant', 'a', 'tokens'), ('length', 'a'), ('tokens', '1'))
    """
    return tuple(word.casefold() for word in _WORD.findall(name))


def pairs_of(names: Iterable[str]) -> Mapping[str, tuple[str, str]]:
    """Return the numbers that are known for both options, with the columns of the first and of the second.

    >>> dict(pairs_of(["length_a", "winner", "length_b", "conv_metadata.sum_assistant_b_tokens"]))
    {'length': ('length_a', 'length_b')}
    """
    name_by_words = {split_words(name): name for name in names}
    pairs: dict[str, tuple[str, str]] = {}
    for first, second in SIDES:
        for words in list(name_by_words):
            for index in (index for index, word in enumerate(words) if word == first):
                partner = (*words[:index], second, *words[index + 1 :])
                quantity = _described_number((*words[:index], *words[index + 1 :]))
                if quantity and quantity not in pairs and words in name_by_words and partner in name_by_words:
                    pairs[quantity] = name_by_words.pop(words), name_by_words.pop(partner)
    return pairs


def options_of(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the columns that name the systems of the first and of the second option; None where there are none.

    >>> options_of(["left_method", "right_method"]), options_of(["response_a_model", "response_b_model"])
    (('left_method', 'right_method'), ('response_a_model', 'response_b_model'))
    """
    return next((pair for rest, pair in sides_of(names) if rest & _SYSTEMS and rest <= _OF_OPTIONS), None)


def sides_of(names: Iterable[str]) -> Iterator[tuple[set[str], tuple[str, str]]]:
    """Yield the pairs of columns whose names differ only in the side, with the words that they share."""
    by_words = {split_words(name): name for name in names}
    for words, name in by_words.items():
        for first, second in SIDES:
            if words.count(first) != 1:
                continue
            partner = tuple(second if word == first else word for word in words)
            if partner in by_words:
                yield {*words} - {first}, (name, by_words[partner])


def option_number(name: str) -> str:
    """Return the name under which a column about one option is stored, if its own name says which option.

    >>> option_number("left length"), option_number("length")
    ('length_a', 'length')
    """
    words = split_words(name)
    for sides in SIDES:
        for end, side in zip("ab", sides, strict=True):
            for index in (index for index, word in enumerate(words) if word == side):
                remaining = [word for word in (*words[:index], *words[index + 1 :]) if word not in _FILLING]
                if remaining:
                    return f"{'_'.join(remaining)}_{end}"
    return name


def _described_number(words: tuple[str, ...]) -> str:
    """Return the number that the other words of a column's name describe, "" for an answer."""
    kept = [word for word in words if word not in _FILLING] or list(words)
    return "" if _NO_QUANTITIES & {*kept} else "_".join(kept)
