"""A flame graph coloured by group, as one self-contained SVG file."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from formicary.core.quoting import printable
from formicary.profiling.analysis.attribution import function_of, stack_seconds
from formicary.profiling.model.groups import colour
from formicary.profiling.model.profile import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.profiling.model.groups import Rules
    from formicary.profiling.model.profile import Frame, Profile

_WIDTH, _ROW, _TOP, _MARGIN = 1200, 17, 44, 6
_LETTER = 6.2  # width of a letter
_DEEPEST = 200  # frames; inner frames of deeper recursion are omitted
_NARROWEST = 0.3  # narrower boxes are omitted
_SVG = "http://www.w3.org/2000/svg"


class _Node:
    def __init__(self, label: str, group: str) -> None:
        self.label = label
        self.group = group
        self.seconds = 0.0
        self.children: dict[tuple[str, str], _Node] = {}

    def child(self, label: str, group: str) -> _Node:
        return self.children.setdefault((label, group), _Node(label, group))

    def depth(self) -> int:
        return 1 + max((child.depth() for child in self.children.values()), default=0)


def flame(profile: Profile, rules: Rules) -> str:
    """Return the SVG of a profile: width is CPU time, and callers are below callees.

    A function has the colour of the group that its time would go to; a legend at the top names the groups.
    """
    root = _tree(profile, rules)
    height = _TOP + (root.depth() + 1) * _ROW
    svg = ET.Element(
        "svg", xmlns=_SVG, viewBox=f"0 0 {_WIDTH} {height}", width=str(_WIDTH), height=str(height)
    )
    svg.set("font-family", "monospace")
    svg.set("font-size", "11")
    ET.SubElement(svg, "rect", width="100%", height="100%", fill="#ffffff")
    _draw_legend(svg, root)
    if root.seconds:
        scale = (_WIDTH - 2 * _MARGIN) / root.seconds
        _draw(svg, root, (_MARGIN, height - 2 * _ROW), (scale, root.seconds))
    return ET.tostring(svg, encoding="unicode")


def _tree(profile: Profile, rules: Rules) -> _Node:
    root = _Node("all", "")
    for process in profile.processes:
        if process.role is not Role.CONTAINER:
            group = rules.group_of_process(process.name) or ""
            node = root.child(f"{process.name} ({process.pid})", group)
            node.seconds += process.cpu_s
            root.seconds += process.cpu_s
            continue
        names = {thread.tid: thread.name for thread in process.threads}
        for stack, seconds in stack_seconds(process, profile.rate_hz):
            frames = [profile.frames[place] for place in stack.frames]
            _add(root, names.get(stack.tid, str(stack.tid)), frames, seconds, rules)
    return root


def _add(root: _Node, thread: str, frames: Sequence[Frame], seconds: float, rules: Rules) -> None:
    path = [root, root.child(thread, "")]
    for place in range(1, min(len(frames), _DEEPEST) + 1):
        stack = frames[:place]
        path.append(path[-1].child(function_of(stack), rules.group_of_stack(stack)))
    for node in path:
        node.seconds += seconds


def _draw_legend(svg: ET.Element, root: _Node) -> None:
    groups: Counter[str] = Counter()
    _collect(root, groups)
    x = float(_MARGIN)
    for group, _ in groups.most_common():
        ET.SubElement(svg, "rect", x=f"{x:.1f}", y="10", width="12", height="12", fill=colour(group))
        ET.SubElement(svg, "text", x=f"{x + 16:.1f}", y="20").text = group
        x += 32 + _LETTER * len(group)


def _collect(node: _Node, groups: Counter[str]) -> None:
    own = node.seconds - sum(child.seconds for child in node.children.values())
    if node.group and own > 0:
        groups[node.group] += own  # type: ignore[assignment]  # a Counter adds up any numbers
    for child in node.children.values():
        _collect(child, groups)


def _draw(svg: ET.Element, node: _Node, at: tuple[float, float], of: tuple[float, float]) -> None:
    (x, y), (scale, whole) = at, of
    width = node.seconds * scale
    if width < _NARROWEST:
        return
    box = ET.SubElement(svg, "g")
    said = f"{node.label}: {node.seconds * 1e3:.1f} ms, {node.seconds / whole:.1%}"
    ET.SubElement(box, "title").text = printable(f"{said}, {node.group}" if node.group else said)
    fill = colour(node.group) if node.group else "#e4e6ea"
    ET.SubElement(
        box, "rect", x=f"{x:.1f}", y=f"{y:.1f}", width=f"{width:.1f}", height=f"{_ROW - 1}", fill=fill, rx="2"
    )
    letters = int((width - 4) / _LETTER)
    if letters >= 3:  # noqa: PLR2004 -- fewer say nothing
        label = (
            node.label
            if len(node.label) <= letters
            else f"{node.label[: letters - 1]}\N{HORIZONTAL ELLIPSIS}"
        )
        ET.SubElement(box, "text", x=f"{x + 2:.1f}", y=f"{y + 12:.1f}").text = printable(label)
    for child in sorted(node.children.values(), key=lambda each: each.label):
        _draw(svg, child, (x, y - _ROW), of)
        x += child.seconds * scale
