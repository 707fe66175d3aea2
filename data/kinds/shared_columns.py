# ruff: noqa: SIM905 - lists of words read better as words
"""Columns that several kinds of tables have, and columns that tell the same of both options of a choice.

The latter are kept as `<what>_a` and `<what>_b`, whatever the file calls the sides.
"""

import re
from collections.abc import Iterable, Mapping

from data.kinds.kind import text
from data.kinds.names import FOREIGN

RATER = (
    "raterid rater workerid worker annotatorid annotator subjectid subject userid user judgeid judge "
    "assessorid "
    "assessor participantid participant labelerid labeler labellerid labeller evaluatorid evaluator "
    "listenerid "
    "listener viewerid viewer observerid observer reviewerid reviewer respondentid respondent performer "
    "performerid turkerid turker coder coderid prolificid prolificpid responseid person personid "
    "reader readerid panelist panelistid panellist panellistid taster tasterid juror jurorid "
    "raterinitials initials emailaddress email"
).split() + FOREIGN["rater"]
ITEM = (
    "itemid item stimulusid stimulus taskid task clipid clip fileid file filename documentid document docid "
    "videoid video audio audioid imageid image sampleid sample segmentid segid segment seg seq sequence "
    "sequenceid "
    "unitid unit utteranceid utterance sentenceid sentence textid snippet questionid hitid id pvs "
    "summaryid docid promptid recordid fragment fragmentid hit"
).split() + FOREIGN["item"]
SCORE = (
    (
        "score rating ratings vote votes mos label labels value answer response opinion opinionscore judgment "
        "judgement grade points quality overall overallquality ovrl rate stars"
    ).split()
    + FOREIGN["score"]
    + FOREIGN["value"]
    + FOREIGN["choice"]
    + ["rank"]
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
    "ischeck catch iscatch golden isgolden"
).split() + FOREIGN["check"]
EXPECTED = (
    "expected expectedscore expectedanswer correctanswer goldanswer goldscore goldlabel truelabel "
    "groundtruth truth "
    "trapanswer tpans goldclipsans"
).split() + FOREIGN["expected"]
STATUS = "status assignmentstatus approvalstatus reviewstatus decision".split() + FOREIGN["status"]
ORDER = (
    "order repetition repetitionid trial trialindex trialnumber iteration replicate".split()
    + FOREIGN["order"]
)
CHOICE = (
    (
        "choice chosen preference pref preferred winner accept selected selection verdict label labels class category "
        "annotation answer response vote judgment judgement outcome result opinion value rating score"
    ).split()
    + FOREIGN["choice"]
    + FOREIGN["score"]
    + FOREIGN["value"]
)
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
"""How the surrogate is called that is the document itself, in the order of likelihood; letters and digits only."""
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
"""Words that say nothing of what is told."""
_NOT_TOLD = frozenset(
    (*SCORE, *CHOICE, *"id uuid index seed turn elo winner better date time timestamp".split())
)
"""Words of columns that hold what was answered, or an id."""


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, in lower case.

    >>> words_of("sum_assistant_a_tokens"), words_of("lengthA"), words_of("tokens1")
    (('sum', 'assistant', 'a', 'tokens'), ('length', 'a'), ('tokens', '1'))
    """
    return tuple(word.casefold() for word in _WORD.findall(name))


def pairs_of(names: Iterable[str]) -> Mapping[str, tuple[str, str]]:
    """Return what is told of both options, and the columns of the first and of the second.

    >>> dict(pairs_of(["length_a", "winner", "length_b", "conv_metadata.sum_assistant_b_tokens"]))
    {'length': ('length_a', 'length_b')}
    """
    free = {words_of(name): name for name in names}
    found: dict[str, tuple[str, str]] = {}
    for side, other in SIDES:
        for words in list(free):
            for at in (at for at, word in enumerate(words) if word == side):
                partner = (*words[:at], other, *words[at + 1 :])
                what = _told((*words[:at], *words[at + 1 :]))
                if what and what not in found and words in free and partner in free:
                    found[what] = free.pop(words), free.pop(partner)
    return found


def option_number(name: str) -> str:
    """Under which name a column is kept that tells of one option, as far as its own name says of which.

    >>> option_number("left length"), option_number("length")
    ('length_a', 'length')
    """
    words = words_of(name)
    for sides in SIDES:
        for end, side in zip("ab", sides, strict=True):
            for at in (at for at, word in enumerate(words) if word == side):
                rest = [word for word in (*words[:at], *words[at + 1 :]) if word not in _FILLING]
                if rest:
                    return f"{'_'.join(rest)}_{end}"
    return name


def _told(words: tuple[str, ...]) -> str:
    """Return what the other words of a column's name say is told; empty for what was answered."""
    kept = [word for word in words if word not in _FILLING] or list(words)
    return "" if _NOT_TOLD & {*kept} else "_".join(kept)
