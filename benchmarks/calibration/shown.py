"""Every interval and p value that a page shows, by page; each must have a row in docs/calibration.md."""

SHOWN: dict[str, tuple[str, ...]] = {
    "Crowd vs lab": ("mean difference", "test of level over raters"),
}
