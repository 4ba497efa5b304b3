"""The picture of a comparison: a forest plot of the arms beside a heat map of scenario x arm.

Left stands each arm's pooled difference with its t interval (thick) and its BCa interval (thin),
the noise floor shaded; right, the difference in each scenario, with its number in the cell. Colours
tell less harm from more, and the numbers say the same without colours. Drawn with Altair, rendered
by vl-convert without a browser and without the network; an HTML file holds the SVG alone, and its
policy forbids scripts and everything that is loaded.

Names are data here, never a part of the specification: a field is one of ours, a name only its
value. The SVG is read once more before it is written: one that held a script would be refused.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from grid.cli.comparewords import NONE, between, floor, signed
from grid.cli.outputfile import check_output, write_output
from grid.display import visible
from grid.errors import ConfigError, HarnessError
from ledgers.compare_effects import ScenarioDifference
from ledgers.comparison import Comparison
from ledgers.stats.proportion import Interval

SUFFIXES = (".svg", ".png", ".html")
LESS, MORE, ZERO, SHADE = "#2166ac", "#b2182b", "#f7f7f7", "#d9d9d9"
"""Less harm, more harm, no difference, noise floor."""
STEP = 26
"""Height of a row in pixels."""
SCALE = 2
"""Pixels of a PNG for each of the SVG's."""
LONGEST = 48
"""Characters of a name that are drawn."""
DRAWN = {
    *("svg", "g", "defs", "clipPath", "linearGradient", "stop"),
    *("path", "rect", "line", "circle", "text", "tspan"),
}
"""Elements of a drawing; none of them runs or loads anything."""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<title>nonverba compare</title>
</head>
<body>
{}
</body>
</html>
"""


def check_picture(path: Path, folders: Iterable[Path] = ()) -> None:
    """Refuse a file that no picture can be written to, before anything is computed.

    Args:
        path: the file.
        folders: the runs, which are left as they are.

    Raises:
        ConfigError: its ending is none of ours, or its folder is not there, or is a run's.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"--picture: {path}: end the file's name in .svg, .png or .html")
    check_output("--picture", path, folders)


def write_picture(path: Path, comparison: Comparison, numbers: Mapping[str, str]) -> None:
    """Draw a comparison into a file; one that is there is replaced.

    Args:
        path: a file that `check_picture` takes.
        comparison: what to draw.
        numbers: scenario -> its number.
    """
    import vl_convert

    specification = chart(comparison, numbers).to_json(indent=None)
    if path.suffix.lower() == ".png":
        png = vl_convert.vegalite_to_png(specification, scale=SCALE)
        write_output("--picture", path, png)
        return
    drawn = safe_svg(vl_convert.vegalite_to_svg(specification))
    page = PAGE.format(drawn) if path.suffix.lower() == ".html" else drawn
    write_output("--picture", path, page.encode())


def safe_svg(drawn: str) -> str:
    """Return a drawing that holds nothing but shapes and words.

    Raises:
        HarnessError: it holds something else, which the renderer should never write.
    """
    for element in ElementTree.fromstring(drawn).iter():  # noqa: S314 - made here, no entities
        name = str(element.tag).rpartition("}")[2]
        loads = [key for key in element.attrib if key.rpartition("}")[2] == "href"]
        runs = [key for key in element.attrib if key.lower().startswith("on")]
        if name not in DRAWN or loads or runs:
            raise HarnessError(
                f"the picture would hold {name!r} with {[*loads, *runs]}, and is not written: "
                "please report it"
            )
    return drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What both halves share."""

    arms: list[str]
    """Names of the arms, best first."""
    places: list[str]
    """Scenarios, in plan order."""
    reach: float
    """Largest difference that is drawn, in points."""


def chart(comparison: Comparison, numbers: Mapping[str, str]) -> Any:
    """Return the Altair chart."""
    import altair

    arms = _apart([arm.level for arm in comparison.arms])
    places = _places(comparison, numbers)
    plan = _Plan(arms=arms, places=list(places.values()), reach=_reach(comparison))
    both = altair.hconcat(
        _forest(comparison, plan), _heat_map(comparison, places, plan), spacing=40
    )
    title = f"{comparison.measure} by {comparison.axis}, against {_short(comparison.baseline)}"
    return both.properties(
        title=altair.TitleParams(title, subtitle=_subtitle(comparison), anchor="start")
    ).configure_view(stroke=None)


def _subtitle(comparison: Comparison) -> str:
    return (
        "points of a hundred, arm less baseline; t interval thick, BCa thin; noise floor "
        f"{floor(comparison)}"
    )


def _apart(names: Sequence[str]) -> list[str]:
    """Return names as they are drawn, each of its own.

    The blank at the end keeps a name from being one that every object of the renderer's language
    has, such as ``constructor``: it looks names up in plain objects, and would take what it finds.
    """
    drawn: list[str] = []
    for name in names:
        short = f"{_short(name)} "
        drawn.append(f"{short}({len(drawn) + 1}) " if short in drawn else short)
    return drawn


def _short(name: str) -> str:
    shown = visible(name, 4 * LONGEST)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def _places(comparison: Comparison, numbers: Mapping[str, str]) -> dict[str, str]:
    """Return each scenario of any arm, and how it is drawn."""
    found = dict.fromkeys(one.scenario for arm in comparison.arms for one in arm.scenarios)
    names = _apart([f"{numbers.get(name, '')} {name}".strip() for name in found])
    return dict(zip(found, names, strict=True))


def _reach(comparison: Comparison) -> float:
    """Return how far the axis must reach, in points, so that every interval is inside."""
    ends = [10.0]
    for arm in comparison.arms:
        found = arm.effect.difference
        for interval in (found.t, found.bca) if found else ():
            ends += [100 * abs(interval.low), 100 * abs(interval.high)] if interval else []
        ends += [100 * abs(found.mean)] if found else []
    if comparison.noise and comparison.noise.floor:
        ends.append(100 * comparison.noise.floor)
    return min(100.0, 10 * (max(ends) // 10 + 2))


def _forest(comparison: Comparison, plan: _Plan) -> Any:
    import altair

    rows = [
        row
        for name, arm in zip(plan.arms, comparison.arms, strict=True)
        if arm.effect.difference
        for row in _row(name, arm.effect.difference.mean, arm.effect.difference, plan.reach)
    ]
    scale = altair.Scale(domain=[-plan.reach, plan.reach])
    y = altair.Y("arm:N", sort=plan.arms, title=None, axis=altair.Axis(labelLimit=300))
    x = altair.X("low:Q", scale=scale, title=f"difference in {comparison.measure}, points")
    base = altair.Chart(_data(rows))
    marks = [
        base.transform_filter("datum.kind == 't'").mark_rule(strokeWidth=8, color="#bbb"),
        base.transform_filter("datum.kind == 'bca'").mark_rule(strokeWidth=2, color="#333"),
    ]
    lines = [mark.encode(y=y, x=x, x2="high:Q") for mark in marks]
    point = (
        base.transform_filter("datum.kind == 'mean'")
        .mark_point(filled=True, size=80, opacity=1)
        .encode(
            y=y,
            x=altair.X("low:Q", scale=scale),
            color=altair.condition("datum.low > 0", altair.value(MORE), altair.value(LESS)),
        )
    )
    words = (
        base.transform_filter("datum.kind == 'mean'")
        .mark_text(dy=-14, fontSize=11)
        .encode(y=y, x=altair.X("low:Q", scale=scale), text="text:N")
    )
    zero = altair.Chart(_data([{"at": 0}])).mark_rule(strokeDash=[4, 3])
    layers = [*_shade(comparison, plan), zero.encode(x=altair.X("at:Q", scale=scale))]
    return altair.layer(*layers, *lines, point, words).properties(
        width=380, height=altair.Step(2 * STEP)
    )


def _data(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as data of a chart; Altair types no call that makes it."""
    import altair

    made: Any = altair.Data
    return made(values=rows)


def _row(name: str, mean: float, found: Any, reach: float) -> list[dict[str, Any]]:
    """Return the rows of one arm: its intervals, cut to what is drawn, and its mean."""
    intervals: dict[str, Interval | None] = {"t": found.t, "bca": found.bca}
    rows: list[dict[str, Any]] = [
        {
            "arm": name,
            "kind": kind,
            "low": max(-reach, 100 * interval.low),
            "high": min(reach, 100 * interval.high),
        }
        for kind, interval in intervals.items()
        if interval is not None
    ]
    shown = signed(mean) + (f" {between(found.t)}" if found.t else "")
    return [*rows, {"arm": name, "kind": "mean", "low": 100 * mean, "text": shown}]


def _shade(comparison: Comparison, plan: _Plan) -> list[Any]:
    """Return the noise floor as a band, where it is known."""
    import altair

    noise = comparison.noise
    if noise is None or noise.floor is None:
        return []
    end = min(plan.reach, 100 * noise.floor)
    band = altair.Chart(_data([{"low": -end, "high": end}]))
    scale = altair.Scale(domain=[-plan.reach, plan.reach])
    return [
        band.mark_rect(color=SHADE, opacity=0.7).encode(
            x=altair.X("low:Q", scale=scale), x2="high:Q"
        )
    ]


def _heat_map(comparison: Comparison, places: Mapping[str, str], plan: _Plan) -> Any:
    import altair

    cells = [
        _cell(name, places[one.scenario], one)
        for name, arm in zip(plan.arms, comparison.arms, strict=True)
        for one in arm.scenarios
    ]
    base = altair.Chart(_data(cells)).encode(
        x=altair.X(
            "arm:N",
            sort=plan.arms,
            title=None,
            axis=altair.Axis(orient="top", labelAngle=-40, labelLimit=300),
        ),
        y=altair.Y("scenario:N", sort=plan.places, title=None, axis=altair.Axis(labelLimit=300)),
    )
    colour = altair.Color(
        "points:Q",
        scale=altair.Scale(domain=[-100, 0, 100], range=[LESS, ZERO, MORE]),
        title="points",
    )
    boxes = base.transform_filter("isValid(datum.points)").mark_rect(stroke="#fff")
    white = altair.condition("abs(datum.points) > 60", altair.value("#fff"), altair.value("#000"))
    numbers = base.mark_text(fontSize=11).encode(text="text:N", color=white)
    return altair.layer(boxes.encode(color=colour), numbers).properties(
        width=altair.Step(64), height=altair.Step(STEP)
    )


def _cell(arm: str, place: str, one: ScenarioDifference) -> dict[str, Any]:
    return {
        "arm": arm,
        "scenario": place,
        "points": None if one.difference is None else 100 * one.difference,
        "text": NONE if one.difference is None else signed(one.difference),
    }
