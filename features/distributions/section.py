"""Section of "Distributions": the blocks that its page and the card of the overview show."""

from collections.abc import Iterator
from typing import Any

from features.blocks import Block, Figure, card_of
from features.distributions import findings
from features.distributions.figures import histograms
from features.distributions.results import Distributions, DistributionSpec, describe_groups
from features.plotting.theme import Look
from features.program import method_of, study_program
from features.study import Study

HISTOGRAMS = "histograms"
"""Name of the figure."""


def distributions_section(study: Study, spec: DistributionSpec, comparison: str) -> Iterator[Block]:
    """Yield where the groups' ratings lie on the scale; `comparison` is the title of the page that compares groups."""
    found = describe_groups(study, spec)
    if not found.descriptions:
        yield findings.no_ratings()
        return
    yield findings.distribution_finding(study, found.descriptions, comparison)
    yield _figure(study, found)
    yield findings.descriptions_table(found.descriptions)
    yield from findings.undefined_warnings(found.descriptions)
    yield method_of("distributions", "descriptions", ["iskender2020"])


def _figure(study: Study, found: Distributions) -> Figure:
    has_items = found.spec.values == "item means"
    values, counted = ("item MOS", "items") if has_items else ("single ratings", "ratings")

    def draw(look: Look) -> dict[str, Any]:
        return histograms(list(found.histograms.items()), study.groups, look, counted)

    hint = "A click on a bar leads to its items." if has_items else ""
    return Figure(HISTOGRAMS, ("Distribution of {values} by group.", {"values": values}), draw, hint=hint)


def distributions_card(study: Study, comparison: str) -> Iterator[Block]:
    """Yield the finding, and the histogram of the measure with the largest gap."""
    described = describe_groups(study, DistributionSpec(measures=())).descriptions
    widest = (findings.widest_apart(described),) if described else ()
    yield from card_of(distributions_section(study, DistributionSpec(measures=widest), comparison))


def distributions_program(study: Study, spec: DistributionSpec) -> str:
    """Return a program that describes the groups' ratings without a browser."""
    lines = ["results = {(each.measure, each.group): each.description for each in found.descriptions}"]
    return study_program(study, None, describe_groups, spec, lines)
