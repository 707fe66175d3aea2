"""The program of Agreement: how far raters agree, per measure and group."""

from collections.abc import Sequence

from analysis.values.scope import Scope
from features.program import PRINTED, RATINGS, literal, program
from features.study import Study
from findings.agreement.summary import Agreed


def code(study: Study, agreed: Sequence[Agreed], scope: Scope | None = None) -> str:
    """Return the program of the figures shown, in a scope or each in its default."""
    asked = [(one.measure, one.group) for one in agreed]
    known = [column for column in ("system", "topic") if study.dataset.has(column)]
    clusters = []
    if known:
        clusters = [
            'belonging = store.query(dataset, "belonging")',
            "def codes(column):",
            '    pairs = zip(belonging["item"].tolist(), belonging[column].tolist())',
            "    return {item: code for item, code in pairs if code >= 0}",
            "",
        ]
    given = "".join(f", {column}=codes({literal(column)})" for column in known)
    return program(
        study.between_raters,
        [
            "from analysis.agreement.agreement_summary import agreement_summary",
            "from analysis.ratings import Ratings",
        ],
        [
            *RATINGS,
            *clusters,
            f"asked = {literal(asked)}",
            f"scope, persons = {literal(scope)}, {study.raters_are_persons}",
            "results = {",
            f"    (measure, group): agreement_summary(ratings(measure, group), scope, persons{given})",
            "    for measure, group in asked",
            "}",
            *PRINTED,
        ],
    )
