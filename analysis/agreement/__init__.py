"""Agreement of raters beyond chance: Krippendorff's alpha, kappas, intraclass correlations."""

from analysis.agreement.alpha import interval_alpha, krippendorff_alpha
from analysis.agreement.intraclass import Intraclass, icc
from analysis.agreement.kappas import cohen_kappa, fleiss_kappa, masi_distance

__all__ = [
    "Intraclass",
    "cohen_kappa",
    "fleiss_kappa",
    "icc",
    "interval_alpha",
    "krippendorff_alpha",
    "masi_distance",
]
