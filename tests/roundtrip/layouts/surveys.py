"""Layouts that survey tools export: one row per respondent."""

from tests.roundtrip.noise import REQUESTS, Noise, Rows, Written
from tests.roundtrip.studies import Study

ASKED = "the questions in the header"


def _answers(noise: Noise, missing: str = "") -> list[list[object]]:
    study = noise.study
    return [
        [
            noise.cell(at, who, what, missing)
            for at in range(len(study.items))
            for what in range(len(study.measures))
        ]
        for who in range(len(study.raters))
    ]


def _questions(noise: Noise) -> tuple[list[str], dict[str, str]]:
    wording = noise.one_of(REQUESTS[noise.study.language])
    asked = [wording.format(name) for name in noise.study.items]
    return asked, dict(zip(asked, noise.study.items, strict=True))


def _written(noise: Noise, heads: Rows, rows: Rows, name: str = "survey.csv", **known: object) -> Written:
    options = {"decided_by": ASKED, "raters": "unnamed"} | known
    return Written({name: noise.table(heads, rows)}, tuple(noise.used), **options)  # type: ignore[arg-type]


def respondents(study: Study) -> Written:
    """Write one row per respondent, who is named, with a question for each item."""
    noise = Noise(study, "respondents")
    asked, aliases = _questions(noise)
    answers = _answers(noise, noise.missing())
    head: list[object] = [noise.header("rater"), *asked]
    rows: Rows = [[name, *cells] for name, cells in zip(study.raters, answers, strict=True)]
    noise.extra_columns(head, rows, per="rater")
    return _written(noise, [head], rows, raters="named", aliases=aliases)


def anonymous(study: Study) -> Written:
    """Write one row per respondent without a column that names them."""
    noise = Noise(study, "anonymous survey")
    wording = REQUESTS[study.language][0]
    asked = [wording.format(name) for name in study.items]
    head: list[object] = [*asked]
    rows: Rows = _answers(noise, noise.missing())
    noise.extra_columns(head, rows, per="rater")
    return _written(noise, [head], rows, aliases=dict(zip(asked, study.items, strict=True)))


def item_and_measure(study: Study) -> Written:
    """Write one row per respondent with a column for each item and measure."""
    noise = Noise(study, "item and measure survey")
    pattern = noise.one_of(("{} [{}]", "{} - {}", "Please rate {} [{}]", "{}: {}"))
    head: list[object] = [
        noise.header("rater"),
        *(pattern.format(item, measure) for item in study.items for measure in study.measures),
    ]
    answers = _answers(noise, noise.missing())
    rows: Rows = [[name, *cells] for name, cells in zip(study.raters, answers, strict=True)]
    noise.extra_columns(head, rows, per="rater")
    return _written(noise, [head], rows, raters="named")


def google_forms(study: Study) -> Written:
    """Write the sheet of a Google form with a grid question for each item."""
    noise = Noise(study, "Google Forms")
    mails = noise.happens("e-mail addresses", 0.6)
    several = len(study.measures) > 1
    texts, aliases = _questions(noise)
    asked = [f"{text} [{measure}]" if several else text for text in texts for measure in study.measures]
    age = noise.happens("column age", 0.4)
    head: list[object] = ["Timestamp", *(["Email Address"] if mails else [])]
    head += [*(["What is your age?"] if age else []), *asked, "Any comments?"]
    rows: Rows = []
    for who, cells in enumerate(_answers(noise)):
        row: list[object] = [f"2026/03/{who + 2:02d} {who % 9 + 1}:1{who}:09 PM GMT+1"]
        row += [f"p{who}@example.org"] * mails + [21 + 3 * who] * age
        rows.append([*row, *cells, ("", "fine", "nice study")[who % 3]])
    return _written(noise, [head], rows, aliases=aliases)


def microsoft_forms(study: Study) -> Written:
    """Write the sheet of a Microsoft form."""
    noise = Noise(study, "Microsoft Forms")
    asked, aliases = _questions(noise)
    head: list[object] = ["ID", "Start time", "Completion time", "Email", "Name", *asked]
    named = noise.happens("e-mail addresses", 0.4)
    rows: Rows = []
    for who, cells in enumerate(_answers(noise)):
        mail = f"p{who}@example.org" if named else "anonymous"
        times = [f"3/{who + 2}/26 10:0{who}:00", f"3/{who + 2}/26 10:1{who}:31"]
        rows.append([who + 1, *times, mail, f"Person {who}" if named else "", *cells])
    return _written(noise, [head], rows, aliases=aliases)


def surveymonkey(study: Study) -> Written:
    """Write a SurveyMonkey export with two header rows: the question, then the rows of its matrix."""
    noise = Noise(study, "SurveyMonkey")
    envelope = ["Respondent ID", "Collector ID", "Start Date", "End Date", "IP Address", "Email Address"]
    upper: list[object] = [*envelope, "Please rate the following.", *[""] * (len(study.items) - 1)]
    lower: list[object] = [*[""] * len(envelope), *study.items]
    rows: Rows = []
    for who, cells in enumerate(_answers(noise)):
        start, end = f"03/0{who + 1}/2026 10:00:11 AM", f"03/0{who + 1}/2026 10:09:5{who} AM"
        rows.append([11_400_000_000 + 7919 * who, 400_123_456, start, end, f"192.0.2.{who + 1}", "", *cells])
    return _written(noise, [upper, lower], rows)


def qualtrics(study: Study) -> Written:
    """Write a Qualtrics export with three header rows."""
    noise = Noise(study, "Qualtrics")
    envelope = ["StartDate", "EndDate", "Status", "Progress", "Duration (in seconds)", "Finished"]
    envelope += ["RecordedDate", "ResponseId", "DistributionChannel", "UserLanguage"]
    codes = [f"Q1_{at + 1}" for at in range(len(study.items))]
    asked = [f"Please rate the quality of each item. - {name}" for name in study.items]
    texts = ["Start Date", "End Date", "Response Type", "Progress", "Duration (in seconds)", "Finished"]
    texts += ["Recorded Date", "Response ID", "Distribution Channel", "User Language"]
    dates = ("startDate", "endDate", "recordedDate")
    ids = [*dates[:2], "status", "progress", "duration", "finished", dates[2], "_recordId"]
    ids += ["distributionChannel", "userLanguage", *(f"QID1_{at + 1}" for at in range(len(study.items)))]
    imports: list[object] = [f'{{"ImportId":"{name}"}}' for name in ids]
    rows: Rows = []
    for who, cells in enumerate(_answers(noise)):
        day = f"2026-03-0{who + 1}"
        times = [f"{day} 10:00:01", f"{day} 10:07:4{who}"]
        known: list[object] = [*times, "IP Address", 100, 420 + who, "True", times[1], f"R_{who}aB3xYz{who}"]
        rows.append([*known, "anonymous", "EN", *cells])
    aliases = dict(zip((*codes, *asked), study.items * 2, strict=True))
    return _written(noise, [[*envelope, *codes], [*texts, *asked], imports], rows, aliases=aliases)
