"""Labels with known answers: which way to make one label of several votes is right most often."""

from analysis.systems.label_accuracy import gold_known, label_accuracy
from charts.systems.labels import accuracy_dots
from features.polls import is_pairs, polls
from features.results import key_of, long_result
from features.study import Study
from findings.systems import labels as findings
from report.parts.asked import Asked
from report.parts.model import Picture, Section, Table, given

TITLE = "Labels of the items"
_CITED = ("dawid1979", "whitehill2009", "habibi2012")


def section(study: Study, asked: Asked) -> Section | None:
    """How often each method meets the known answers; without them how far the methods agree. None for pairs."""
    (poll, *_) = polls(study) or (None,)
    if is_pairs(study) or poll is None:
        return None
    known, spec = gold_known(poll.votes, poll.gold), asked.bootstrap()
    compared = given(
        long_result(
            key_of(study.dataset, "labels against gold", study.candidate, poll.name, spec),
            "Labels by each method",
            lambda on_progress: label_accuracy(
                poll.votes,
                poll.gold,
                bootstrap=spec,
                draws_of_fitted=None,
                raters_are_persons=study.raters_are_persons,
                on_progress=on_progress,
            ),
        )
    )
    if not known.items:
        return None
    return Section(
        "labels",
        TITLE,
        findings=[findings.finding(compared)],
        pictures=[
            Picture(
                "labels",
                ("Share of items that get their known answer, by method, the highest on top.", {}),
                lambda look: accuracy_dots(compared, look),
            )
        ],
        tables=[
            Table(
                "labels",
                ("How often each method is right, and how far ahead of the majority.", {}),
                findings.methods_table(compared),
            ),
            Table(
                "classes",
                ("Precision and recall of each class by method.", {}),
                findings.classes_table(poll, compared),
            ),
        ],
        warnings=findings.remarks(poll, compared, known),
        notes=findings.notes(compared, study.raters_are_persons),
        methods=[
            (
                "An item's label is the option with most votes; the one with most weight, a worker weighing as much as "
                "he agrees with the others (r_w, Habibi and Popescu-Belis 2012); or the likeliest under a model of "
                "workers' confusions (Dawid and Skene 1979) or of their ability and the items' difficulty (GLAD, "
                "Whitehill et al. 2009). No method sees the known answers. Seed {seed}.",
                {"seed": spec.seed},
            )
        ],
        cited=_CITED,
    )
