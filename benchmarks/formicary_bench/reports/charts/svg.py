"""SVG elements as text: every attribute and every word is escaped."""

from __future__ import annotations

import math

from markupsafe import Markup, escape

_ROOT_3 = math.sqrt(3)


def tag(name: str, *children: str | Markup, **attributes: str | float | None) -> Markup:
    """Make an element.

    Args:
        name: Its name.
        children: Text, which is escaped, or elements.
        attributes: Its attributes; `stroke_width` is `stroke-width`, `class_` is `class`. None leaves one
            out, numbers are rounded to a tenth of a pixel.
    """
    pairs = (
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _text(value))
        for key, value in attributes.items()
        if value is not None
    )
    inside = Markup("").join(escape(child) for child in children)
    return Markup("<{name}{pairs}>{inside}</{name}>").format(
        name=name, pairs=Markup("").join(pairs), inside=inside
    )


def polyline(points: list[tuple[float, float]], **attributes: str | float | None) -> Markup:
    """Make a line through points."""
    return tag("polyline", points=" ".join(f"{_text(x)},{_text(y)}" for x, y in points), **attributes)


def mark(shape: str, x: float, y: float, r: float) -> Markup:
    """Make a point's mark: shapes of about equal area, so that none looks more important."""
    if shape == "circle":
        return tag("circle", cx=x, cy=y, r=r)
    if shape == "square":
        side = 1.75 * r
        return tag("rect", x=x - side / 2, y=y - side / 2, width=side, height=side)
    return tag(
        "polygon", points=" ".join(f"{_text(x + r * a)},{_text(y + r * b)}" for a, b in _CORNERS[shape])
    )


_CORNERS = {
    "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    "triangle": ((0, -1.3), (0.75 * _ROOT_3, 0.9), (-0.75 * _ROOT_3, 0.9)),
    "nabla": ((0, 1.3), (0.75 * _ROOT_3, -0.9), (-0.75 * _ROOT_3, -0.9)),
    "cross": (
        (-1.2, -0.4), (-0.4, -0.4), (-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4),
        (1.2, 0.4), (0.4, 0.4), (0.4, 1.2), (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4),
    ),
}  # fmt: skip


def _text(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.1f}".removesuffix(".0")
