"""The published priors, by name.

Where a paper's text and its numbers disagree, ``published`` semantics is what reproduces the numbers and
``recommended`` what the text says.
"""

from __future__ import annotations

from nbyk.errors import unknown_name
from nbyk.priors.families import Clamped, FoldedNormal, Triangular, Uniform
from nbyk.priors.two_stage import Response, TwoStagePrior

SIMULATED_PUBLISHED = TwoStagePrior("simulated", Uniform(0, 1), Uniform(0, 0.3), Response("normal"))
"""Wein et al. (2023): the prior that reproduces the numbers of their simulated tables.
μ ~ U(0, 1); σ ~ U(0, 0.3), where the text has 0.2; responses are not clamped."""

SIMULATED = TwoStagePrior("simulated", Uniform(0, 1), Uniform(0, 0.2), Response("normal"))
"""Wein et al. (2023), algorithm 3 (appendix A) as printed: μ ~ U(0, 1), σ ~ U(0, 0.2)."""

TOXICITY = TwoStagePrior(
    "toxicity",
    Clamped(FoldedNormal(0, 0.28), 0, 0.8),
    Clamped(Triangular(-0.05, 0.21, 0.45), 0, 1),
    Response("likert", 5),
)
"""Wein et al. (2023), section 6 and appendix B: fitted to the 107,620 comments of the Stanford toxicity data.
μ = min(|N(0, .28)|, .8), σ = Triangular(−.05, .21, .45) clamped to [0, 1], and responses rounded down to
{0, .2, .4, .6, .8}. (The text rounds up; the tables come from rounding down.)"""

_PUBLISHED: dict[str, dict[str, TwoStagePrior]] = {
    "simulated": {"published": SIMULATED_PUBLISHED, "recommended": SIMULATED},
    "toxicity": {"published": TOXICITY, "recommended": TOXICITY},
}


def published_prior(name: str, semantics: str = "published") -> TwoStagePrior:
    """Return a published prior.

    Parameters
    ----------
    name
        "simulated" or "toxicity".
    semantics
        "published" (reproduces the paper's numbers) or "recommended" (the paper's text).

    Raises
    ------
    NbykError
        If either is unknown.
    """
    if name not in _PUBLISHED:
        raise unknown_name("prior", name, _PUBLISHED)
    if semantics not in _PUBLISHED[name]:
        raise unknown_name("semantics", semantics, _PUBLISHED[name])
    return _PUBLISHED[name][semantics]
