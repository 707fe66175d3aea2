"""What a rating of each candidate costs, as typed."""

import streamlit as st

from analysis.values.names import shorten
from findings.standing_in.standings import Candidate

MOST = 12
"""Candidates whose price can be typed."""


def prices(candidates: tuple[Candidate, ...]) -> tuple[dict[str, float], str]:
    """Draws the popover with a price for each candidate; those typed by name, and the currency."""
    typed = {}
    with st.popover("Prices"):
        currency = st.text_input("Currency", "€", key="currency", bind="query-params", max_chars=8)
        for at, one in enumerate(candidates[:MOST]):
            st.text(shorten(one.name))
            price = st.number_input(
                f"Price of one rating by candidate {at + 1}",
                0.0,
                None,
                None,
                0.01,
                format="%.4f",
                key=f"price_of_{at + 1}",
                bind="query-params",
                placeholder="price of one rating",
                label_visibility="collapsed",
            )
            if price is not None:
                typed[one.name] = float(price)
    return typed, currency
