"""A text of ours that a press copies."""

from html import escape

import streamlit as st

from ui.downloads import BUTTON


def copyable(title: str, text: str) -> None:
    """The text under its title, with the button that copies it."""
    safe = escape(text)
    st.html(
        f'<p style="margin:0;font-size:.9rem;opacity:.8">{escape(title)}</p>'
        f'<blockquote style="margin:.25rem 0 .5rem;padding-left:.75rem;border-left:2px solid #8A9099;line-height:1.5">'
        f"{safe}</blockquote>"
        f'<button type="button" title="{escape(title)}" style="{BUTTON}" data-copies="{safe}">Copy</button>'
    )
