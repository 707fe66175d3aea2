"""The mark, alone and with the product's name, as data URIs: any other kind of icon would make the browser fetch it
from a font server."""

from urllib.parse import quote

_MARK = """<rect width="32" height="32" rx="6" \
fill="#0072B2"/><path d="M6 26C8 12 14 9 27 8" fill="none" stroke="#fff" stroke-width="3" \
stroke-linecap="round"/><circle cx="13" cy="12.5" r="3.2" fill="#E69F00"/>"""
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 32">{drawn}</svg>'

_NAME = """<text x="42" y="23" font-family="Source Sans, Segoe UI, Helvetica, Arial, sans-serif" font-size="22" \
font-weight="600" fill="#2B87C5" textLength="114" lengthAdjust="spacingAndGlyphs">Raterscope</text>"""
"""In a colour that stands out from either theme's ground, and as wide as its place whatever font draws it."""

ICON = "data:image/svg+xml," + quote(_SVG.format(width=32, drawn=_MARK))
MARK_AND_NAME = "data:image/svg+xml," + quote(_SVG.format(width=160, drawn=_MARK + _NAME))
