"""What the shares of a study that holds no ratings become without the raters left out."""

from features.blocks import Finding
from features.importing.versions import (
    figures_changed,
    figures_table,
    most_changed_without,
    what_intervals_are,
)
from features.study import Scenario, Study
from report.parts.model import Table


def what_changes(study: Study, scenario: Scenario) -> tuple[list[Finding], list[Table]]:
    """The share that changes most, and all of them with everyone and without; nothing where nobody is left out."""
    if not study.dataset.without:
        return [], []
    changed = figures_changed(study.everyone, study)
    table = Table(
        "shares-without",
        ("Each share with everyone, without the raters left out, and the difference.", {}),
        figures_table(changed, ("Everyone", "Without")),
        notes=what_intervals_are(changed, study.whole.kind),
    )
    return most_changed_without(changed, scenario), [table]
