"""Verdict on how far raters agree on each surrogate, with the table of kappas and what is undefined."""

from collections.abc import Iterator
from functools import partial

from features.blocks import Finding, Note, Table, Text, Warning
from features.evidence import capitalized, confidence_interval
from features.plotting.numbers import count, decimal, decimal_with_interval, share
from features.relevance.agreement_results import KAPPAS, WITH_GOLD, WITHIN, Kappas
from features.tables import Column, estimate_columns, table_of
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import counted, listed, number_repeats


def raters_finding(found: Kappas) -> Finding:
    """Return the surrogate on which two raters decide alike most often, and the one with the least agreement."""
    alike = {name: e for name, e in found.alike.items() if e.defined}
    of = found.main.surrogates
    pairs = {of.names[code]: found.pairs.surrogates[code] for code in of.present}
    if not alike:
        why = sorted({e.reason for e in found.alike.values()} - {""})
        return not_enough_data(
            "Not enough data to say whether raters agree.", {}, capitalized("; ".join(why) or "nobody judged")
        )
    first, last = (
        max(alike, key=lambda name: alike[name].value),
        min(alike, key=lambda name: alike[name].value),
    )
    kappa = pairs[first].kappa
    least = pairs[last].kappa
    lowest = f"lowest: {last} {share(alike[last].value)}" if len(alike) > 1 else ""
    if lowest and least.defined:
        lowest += f", kappa {decimal(least.value)}"
    return clear_if(
        all(excludes(pairs[name].kappa) for name in alike),
        "Two raters decide alike on {share} of the documents with {first}.",
        {"share": share(alike[first].value), "first": first},
        confidence_interval(alike[first], share),
        f"kappa {decimal_with_interval(kappa)}" if kappa.defined else "",
        lowest,
        counted(pairs[first].pairs, "pair of raters", "pairs of raters"),
    )


def kappa_table(found: Kappas) -> Table:
    """Return the paper's Table 2, with Cohen's kappa in two forms next to the paper's."""
    surrogates = found.main.surrogates
    pairs = [found.pairs.surrogates[at] for at in surrogates.present]
    columns = [Column("Surrogate", surrogates.names_of(surrogates.present))]
    alike = [one.agreement for one in pairs]
    columns += estimate_columns("Pairs of judgments alike", alike, partial(share, digits=1))
    for name in KAPPAS:
        estimates = [found.of(name, at) for at in surrogates.present]
        if name not in (WITH_GOLD, WITHIN) or any(e.defined for e in estimates):
            columns += estimate_columns(name, estimates, partial(decimal, digits=3))
    columns.append(Column("Pairs of raters", [one.pairs for one in pairs], count, False))
    columns.append(Column("Pairs of judgments", [e.n for e in alike], count, False))
    if any(one.repeated for one in pairs):
        columns.append(Column("Repeated", [one.repeated for one in pairs], count, False))
    return table_of("kappa", "Kappa in each form and agreement between raters, by surrogate.", columns)


def raters_notes(found: Kappas) -> Iterator[Note]:
    """Yield what intervals resample."""
    if found.pairs.resampled not in ("", "nothing"):
        yield Note(("Intervals resample {what}.", {"what": found.pairs.resampled}))


def raters_warnings(found: Kappas) -> Iterator[Warning]:
    """Yield what is undefined and why, and what was set aside."""
    surrogates = found.main.surrogates
    told: list[Text] = []
    if not surrogates.has_gold:
        told.append(("Kappa with gold needs a column gold.", {}))
    if not surrogates.has_full_text:
        told.append(("Kappa with the rater's own full text needs judgments of the full text.", {}))
    undefined: dict[str, list[str]] = {}
    for at in surrogates.present:
        name, pairs = surrogates.names[at], found.pairs.surrogates[at]
        if not pairs.kappa.defined:
            undefined.setdefault(pairs.kappa.reason, []).append(name)
        elif pairs.undefined_pairs:
            values = {"n": count(pairs.undefined_pairs), "of": count(pairs.pairs), "name": name}
            text = "{n} of {of} pairs of raters have no kappa on {name}: both gave one answer throughout."
            told.append((text, values))
        within = found.of(WITHIN, at)
        if at != surrogates.full_text and surrogates.has_full_text and not within.defined:
            text = "Kappa with the own full text is undefined for {name}: {why}."
            told.append((text, {"name": name, "why": within.reason}))
        if pairs.repeated:
            text = "{n} repeated judgments of a rater on {name} were set aside; the first counts."
            told.append((text, {"n": count(pairs.repeated), "name": name}))
    for why, names in undefined.items():
        text = "Kappa between raters is undefined for {names}: {why}."
        told.append((text, {"names": listed(names), "why": why}))
    yield from map(Warning, number_repeats(told))
