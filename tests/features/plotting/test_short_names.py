"""Names cut so that they stay apart."""

from features.plotting.theme import short_names

BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'


def test_long_names_that_would_look_alike_lose_what_they_share() -> None:
    names = ["Annotator of the first site", "Annotator of the second site", "Ben of the very first site"]
    assert short_names(names, 14) == ["…first site", "…second site", "Ben of the ve…"]
    assert short_names(["annotator number 1", "annotator number 12"], 10) == ["…1", "…12"]
    assert short_names(["the same long name"] * 2, 10) == ["the same…"] * 2
    assert all("<" not in name for name in short_names([BAD + "1", BAD + "2"], 40))
