"""What a report holds besides the open study: its kept views, and the contributors of its pyramid."""

from dataclasses import replace

from data.store.kept import KeptView
from features.notices.pages import Holding
from features.study import Study
from report.parts.views import View
from ui.visit import reported_views, workspace
from ui.visit.address import address_of_view, base_of
from ui.visit.joined import PYRAMID, contributors_of
from ui.visit.pages import PAGES
from ui.visit.study import holding_of
from ui.words import note


def with_contributors(study: Study) -> Study:
    """The study with the contributors of its pyramid that whoever is looking may see."""
    if study.whole.kind != "ratings":
        return study
    return replace(study, contributors=contributors_of(study))


def views(study: Study) -> tuple[View, ...]:
    """Draws the choice among the kept views of the data set and returns the chosen ones."""
    dataset = study.whole.as_saved
    chosen = reported_views.choose(dataset)
    if not chosen and workspace.owns(dataset.id):
        note("A page as it stands can be part of the report: <b>Views</b> in its head adds it.")
    holding = holding_of(dataset)
    return tuple(_reported(view, study, holding) for view in chosen)


def _reported(view: KeptView, study: Study, holding: Holding) -> View:
    path = view.view.partition("?")[0].strip("/")
    titles = {entry.address: entry.title_for(holding) for entry in PAGES}
    address = address_of_view(base_of(reported_views.PATH), view.view, study.key)
    reported = View(view.name, view.note, view.view, titles.get(path, "Overview"), address)
    if not reported.lacks_contributors:
        return reported
    (named, *_) = reported.controls.get(PYRAMID, [""])
    return replace(reported, contributors=contributors_of(study.unfiltered, named))
