"""One source explains the terms: where a sentence of ours uses them, never within what came from data."""

import re

from features.words import TERMS, explained, in_sentence


def found(template: str) -> list[str]:
    return [template[at:end] for at, end, _ in in_sentence(template)]


def test_a_term_is_found_where_it_is_first_used_whatever_stands_around_it() -> None:
    assert found("The knee, Holm-adjusted (<b>MOS</b>), the knees") == ["knee", "Holm", "MOS"]
    assert found("kneecap, preknee, alphabet, r_width") == []


def test_values_from_data_and_tags_hold_no_terms() -> None:
    assert found("{knee} <kappa> {ICC}") == []


def test_letters_are_explained_in_heads_alone() -> None:
    assert found("r = 0.9, p = .03, n = 5, R and a") == []
    assert all(explained(head) for head in ("r", "p", "n", "R", "r, focus", "p of ρ"))


def test_a_head_of_two_terms_has_both_and_a_longer_term_goes_before_a_shorter() -> None:
    assert explained("r_w, 95%").count(":") >= 2
    assert "attenuation" not in explained("GLAD ability")
    assert explained("GLAD ability").startswith(TERMS["GLAD ability"].plain)
    assert explained("Story") == explained("Rankings") == ""


def test_terms_are_inert_text_that_says_what_a_value_means() -> None:
    for term in TERMS.values():
        assert not re.search(r"[<>&\"{}$*_\[\]`](?!w)(?!q)", term.plain + term.told), term
        assert term.told.endswith((".", ")."))
        assert len(term.told) < 260, term
