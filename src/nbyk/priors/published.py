"""The published priors, by name.

If a paper's text and its numbers disagree, ``published`` semantics reproduces the numbers and ``recommended``
follows the text.
"""

from __future__ import annotations

from nbyk.errors import check_name
from nbyk.priors import published_names
from nbyk.priors.families import Clamped, FoldedNormal, Mixture, Triangular, TruncatedNormal, Uniform
from nbyk.priors.responses import Response
from nbyk.priors.two_stage import TwoStagePrior

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


def _truncated(
    name: str, mu: tuple[float, float], sigma: tuple[float, float], response: Response
) -> TwoStagePrior:
    """Return a prior of normals with these means and standard deviations, truncated to [0, 1]."""
    return TwoStagePrior(name, TruncatedNormal(*mu), TruncatedNormal(*sigma), response)


MULTIDOMAIN = _truncated("multidomain", (-0.5, 1), (-0.3923, 0.8502), Response("binary"))
"""Homan et al. (2025), section 5.1: MultiDomain Agreement, 3057 tweets, offensive or not, 5 raters each."""

AMAZON = _truncated("amazon", (0.552121, 0.032093), (0.318177, 0.018281), Response("likert", 5))
"""Homan et al. (2025), appendix B: Amazon reviews, 20,415 products, 1 to 5 stars, 5 reviewers each."""

HS_BREXIT = _truncated("hs_brexit", (-0.278260, 0.181938), (-0.340141, 0.408186), Response("binary"))
"""Homan et al. (2025), appendix B: HS-Brexit, 1120 tweets, hate speech or not, 6 raters each.
μ averages .079 and the responses rounded from it .062; those of the data average .129."""

CONVABUSE = _truncated("convabuse", (1.124694, 0.512993), (-0.324344, 0.417337), Response("binary"))
"""Homan et al. (2025), appendix B: ConvAbuse, 4185 dialogues, at least 3 experts each according to the paper.
The prior makes binary responses, the data have five levels. μ averages .662 and the responses made from it
.696; those of the data, their lowest level put at 0 and their highest at 1, average .879."""

ARMIS = TwoStagePrior(
    "armis",
    Mixture(
        (0.652561, 1 - 0.652561), (TruncatedNormal(-0.430701, 0.418148), TruncatedNormal(1.194010, 0.525248))
    ),
    Mixture(
        (0.76639, 1 - 0.76639), (TruncatedNormal(-0.264113, 0.530150), TruncatedNormal(0.362404, 0.632262))
    ),
    Response("binary"),
)
"""Homan et al. (2025), appendix B: ArMIS, 964 Arabic tweets, misogynous or not, 3 raters each.
The components of μ and of σ are chosen independently of each other."""

MHS = _truncated("mhs", (-0.211147, 0.106442), (-0.243672, 0.148406), Response("likert", 5))
"""Homan et al. (2025), appendix B: Measuring Hate Speech, 39,565 comments, 7912 raters."""

_ALL = (SIMULATED_PUBLISHED, TOXICITY, MULTIDOMAIN, AMAZON, HS_BREXIT, CONVABUSE, ARMIS, MHS)
_PUBLISHED = {prior.name: prior for prior in _ALL}
_SEMANTICS = ("published", "recommended")


assert sorted(_PUBLISHED) == list(published_names()), "the names that are known before the priors are"


def published_prior(name: str, semantics: str = "published") -> TwoStagePrior:
    """Return a published prior by its name, one of `nbyk.priors.published_names`.

    `semantics` is "published", which reproduces the paper's numbers, or "recommended", which follows its
    text. They differ for "simulated" only.
    """
    check_name("prior", name, _PUBLISHED)
    check_name("semantics", semantics, _SEMANTICS)
    return SIMULATED if (name, semantics) == ("simulated", "recommended") else _PUBLISHED[name]
