"""The shares of answers, of all and between people, and their picture."""

from analysis.comprehension.answer_levels import Levels
from analysis.comprehension.answer_shares import coded_shares
from analysis.values.estimate import BootstrapSpec
from charts.comprehension.answer_bars import Part, Row, answer_bars
from features.plotting.figure import Figure
from features.plotting.theme import Look
from features.results import OnProgress
from features.study import Study
from findings.comprehension import answers
from findings.comprehension.shares import Shared

LABEL = "Intervals"


def shares_of(
    study: Study, machines: tuple[int, ...], bootstrap: BootstrapSpec, on_progress: OnProgress | None = None
) -> Shared:
    """The shares of all answers, and of those between people."""
    given = answers.answers(study)
    everyone = people = coded_shares(given, bootstrap, on_progress)
    if machines:
        people = coded_shares(given.among_people(machines), bootstrap, on_progress)
    names = answers.names(study, "author").tolist()
    return Shared(everyone, people, names, given.writers, given.askers, machines, with_machines=False)


def bars(shared: Shared, look: Look) -> Figure:
    """All answers, by summary author, machines apart, and by question author."""

    def rows(levels: Levels, codes: list[int]) -> list[Row]:
        return [Row(shared.names[code], levels.of(code)) for code in codes if code < len(levels)]

    by_writer, by_asker = shared.everyone.by_summary_author, shared.shown.by_question_author
    overall = shared.shown.overall.of(0)
    parts = [
        Part("", [Row("All", overall)]),
        Part("By summary author", rows(by_writer, [w for w in shared.wrote if w not in shared.machines])),
        Part("Machine summaries", rows(by_writer, [w for w in shared.wrote if w in shared.machines])),
        Part("By question author", rows(by_asker, list(shared.asked))),
    ]
    return answer_bars([part for part in parts if part.rows], look, overall)
