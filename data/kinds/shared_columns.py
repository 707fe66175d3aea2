# ruff: noqa: SIM905 - lists of words read better as words
"""What kinds of tables share: the names that people give their columns, the first fitting best, in lower case, letters
and digits only; and the column of groups."""

from data.kinds.foreign_names import FOREIGN
from data.kinds.kind import text

RATER = (
    "raterid rater workerid worker annotatorid annotator subjectid subject userid user judgeid judge "
    "assessorid "
    "assessor participantid participant labelerid labeler labellerid labeller evaluatorid evaluator "
    "listenerid "
    "listener viewerid viewer observerid observer reviewerid reviewer respondentid respondent performer "
    "performerid turkerid turker coder coderid prolificid prolificpid responseid person personid "
    "reader readerid raterinitials initials emailaddress email"
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
        "choice chosen preference preferred winner accept selected selection verdict label labels class category "
        "annotation answer response vote judgment judgement outcome result opinion value rating score"
    ).split()
    + FOREIGN["choice"]
    + FOREIGN["score"]
    + FOREIGN["value"]
)
FIRST = (
    "optiona systema modela option1 system1 model1 lista list1 candidatea candidate1 arma left first a "
    "firstoption firstsystem firstmodel firstlist leftsystem systemleft"
).split() + FOREIGN["first"]
SECOND = (
    "optionb systemb modelb option2 system2 model2 listb list2 candidateb candidate2 armb right second b "
    "secondoption secondsystem secondmodel secondlist rightsystem systemright"
).split() + FOREIGN["second"]
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
