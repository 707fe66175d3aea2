"""Every interval and p value that a page shows, by page; each must have a row in docs/calibration.md."""

SHOWN: dict[str, tuple[str, ...]] = {
    "Crowd vs lab": (
        "mean difference",
        "test of level over raters",
        "test of level by exchanged labels",
        "equivalence test",
        "limits of agreement",
        "Spearman's rho",
        "Pearson's r",
        "Kendall's tau-b",
        "Lin's concordance",
        "RMSE",
        "p of Spearman's rho",
        "p of Mann-Whitney U",
        "p of Wilcoxon's W",
        "Holm-adjusted p of level",
        "Holm-adjusted p of equivalence",
    ),
    "Distributions": ("p of normality (Anderson-Darling)",),
}
