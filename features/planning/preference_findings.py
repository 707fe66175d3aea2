"""Finding, notes and table of a planned comparison of two systems by votes."""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite, isnan

from features.blocks import Finding, Note, Table, Text
from features.evidence import for_raters
from features.planning.costs import effort
from features.planning.power_findings import chance_of, written_number
from features.planning.preference_results import OpenQuality, OpenShares, PreferenceFound
from features.plotting.numbers import chance, count, decimal, p_value, share, share_with_interval
from features.tables import Column, table_of
from features.verdicts import clear
from features.words import counted, of_many


def preference_finding(found: PreferenceFound) -> Finding:
    """Return the chance that the comparison detects the preference, and the items that the wanted power needs."""
    spec, needed = found.spec, found.items_needed(found.spec.votes)
    needs = f"{of_many(needed, 'items')}" if isfinite(needed) else "no number of items is enough"
    return clear(
        "This plan has <b>{chance}</b> to detect a preference of {share}.",
        {"chance": chance_of(found.power), "share": share(spec.share)},
        f"Expected 95% CI ±\u00a0{decimal(100 * found.half_width(spec.votes), 0)} points",
        of_many(spec.items, "items"),
        f"{counted(spec.votes, 'vote')} each",
        for_raters("these raters"),
        f"for {share(spec.wanted)}: {needs}",
    )


def preference_notes(found: PreferenceFound) -> Iterator[Note]:
    """Yield the effort, what a paper says of the size, and what the open choices tell of the assumptions."""
    spec = found.spec
    yield Note(effort(spec.prices, spec.items * spec.votes, found.price(spec.votes), what="votes"))
    yield Note(("For the paper or the ethics form: {told}", {"told": describe_for_paper(found)}))
    if found.shares is not None:
        yield Note(_shares_note(found.shares))
    if found.quality is not None:
        yield Note(_quality_note(found.quality, found))


def describe_for_paper(found: PreferenceFound) -> str:
    """Return what an application or a paper says of the size of the study."""
    spec = found.spec
    tests = (
        "" if spec.comparisons == 1 else f", Bonferroni-adjusted for {count(spec.comparisons)} comparisons"
    )
    return (
        f"We plan {of_many(spec.items, 'items')} with {of_many(spec.votes, 'votes')} each. A two-sided test over items "
        f"at alpha = {p_value(spec.alpha)}{tests} then detects a preference of {share(spec.share)} with a power of "
        f"{chance(found.power)} (items differing by an SD of {decimal(spec.item_sd)}; {share(spec.quality)} of the "
        f"votes no guesses)."
    )


def _shares_note(one: OpenShares) -> Text:
    return (
        "In the open choices ({name}, {items}) the items' own shares differ by an SD of {sd}, without what so few "
        "votes of each add by chance and known guesses hide.",
        {"name": one.name, "items": of_many(one.items, "items"), "sd": decimal(one.sd)},
    )


def _quality_note(quality: OpenQuality, found: PreferenceFound) -> Text:
    """Return the source of the share of votes that are no guesses, or why the open choices do not tell it."""
    known = quality.known
    if known.defined:
        low, high = (
            replace(found, spec=replace(found.spec, quality=end)).power for end in (known.low, known.high)
        )
        return (
            "Of the {votes} in the open choices whose answer is known, <b>{quality}</b> are no guesses (twice the "
            "share that is right, minus one): with either end the power is {low} or {high}. Raters who looked closely "
            "and disagree with the known answer count as guessing.",
            {
                "votes": of_many(known.n, "votes"),
                "quality": share_with_interval(known),
                "low": chance(low),
                "high": chance(high),
            },
        )
    if isnan(quality.least):
        return (
            "The open choices do not tell how many votes are no guesses: no answers are known, and no item has several "
            "votes.",
            {},
        )
    return (
        "Without known answers the open choices do not tell how many votes are no guesses: votes that disagree are "
        "guesses, or raters who differ. From how often votes on one item agree, it is at least about {least}.",
        {"least": share(quality.least)},
    )


def preference_table(found: PreferenceFound) -> Table:
    """Return the same comparison with other votes per item."""
    prices, others = found.spec.prices, found.alternatives
    power, half = zip(*others.values(), strict=True)
    price = [Column("Price", [found.price(votes) for votes in others], prices.written)]
    return table_of(
        "alternatives",
        "The same comparison with other votes per item.",
        [
            Column("Votes per item", list(others)),
            Column("Power", power, lambda value: share(value, 1)),
            Column("±", half, lambda value: share(value, 1)),
            *(price if prices.are_known else []),
            Column(
                f"Items for {share(found.spec.wanted)}",
                [found.items_needed(votes) for votes in others],
                written_number,
            ),
        ],
    )
