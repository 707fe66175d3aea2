"""What stands in the address, the addresses of other views, and what a typed one may not hold: Streamlit turns a number
without end into an error of its own."""

import math
from urllib.parse import parse_qsl, urlencode

import streamlit as st


def parameters() -> dict[str, str | list[str]]:
    """All that the address holds, for another page's."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def parts() -> list[tuple[str, str]]:
    """What stands in the address now, one value after the other."""
    return [(name, value) for name in st.query_params for value in st.query_params.get_all(name)]


def base_of(path: str) -> str:
    """Where the app lives as the browser sees it, also behind a proxy or under a path; no slash at its end."""
    return (st.context.url or "").removesuffix(f"/{path}" if path else "").rstrip("/")


def address_of(base: str, path: str, parameters: list[tuple[str, str]]) -> str:
    """The whole address of a page and its controls."""
    return f"{base}/{path}?{urlencode(parameters)}"


def view_at(path: str) -> str:
    """What is kept of the address of this view: all but the key of the data set."""
    rest = urlencode([pair for pair in parts() if pair[0] != "d"])
    return f"/{path}?{rest}" if rest else f"/{path}"


def address_of_view(base: str, view: str, key: str) -> str:
    """The whole address of a kept view under a key of its data set."""
    path, _, rest = view.partition("?")
    return address_of(base, path.lstrip("/"), [("d", key), *parse_qsl(rest, keep_blank_values=True)])


def drop_endless_numbers() -> None:
    """Takes parameters such as `1e999` out of the address and starts again, their controls at their defaults."""
    endless = [name for name in st.query_params if _endless(st.query_params.get_all(name))]
    for name in endless:
        del st.query_params[name]
    if endless:
        st.rerun()


def _endless(values: list[str]) -> bool:
    for value in values:
        try:
            if math.isinf(float(value)):
                return True
        except ValueError:
            continue
    return False
