"""The page icon as a data URI: any other kind would make the browser fetch it from a font server."""

from urllib.parse import quote

_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" \
fill="#0072B2"/><path d="M6 26C8 12 14 9 27 8" fill="none" stroke="#fff" stroke-width="3" \
stroke-linecap="round"/><circle cx="13" cy="12.5" r="3.2" fill="#E69F00"/></svg>"""

ICON = "data:image/svg+xml," + quote(_SVG)
