"""What a figure shows."""

from __future__ import annotations

from matplotlib.font_manager import findfont, get_font


def dollars_drawn(picture: str) -> int:
    """Return how many dollar signs an SVG draws: as mathematics, a text would be drawn without them."""
    place = get_font(findfont("DejaVu Sans")).get_char_index(ord("$"))
    return picture.count(f'<use xlink:href="#DejaVuSans-{place:x}"')
