from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from grid.canonical import load_json, text_json
from grid.errors import StrictError
from grid.strict import from_json, to_json
from ledgers.manifest import RuleRecord, build_manifest
from ledgers.released import (
    NAME,
    SHARED,
    Released,
    Sourced,
    complaints,
    current,
    regenerate,
    released,
    source_digest,
    unknown_parts,
)
from tests.ledgers.runs import TRIALS, plan


def test_the_list_that_ships_is_that_of_the_code() -> None:
    """When this fails: raise the version of what changed, then regenerate the list."""
    assert complaints(released(), current()) == ()


def test_the_list_is_read_strictly() -> None:
    value = load_json(files("ledgers").joinpath(NAME).read_bytes())
    assert to_json(from_json(Released, value)) == value
    with pytest.raises(StrictError):
        from_json(Released, {**value, "more": {}})


def test_a_manifest_of_this_checkout_holds_released_parts_only() -> None:
    assert unknown_parts(build_manifest(plan())) == ()


def test_what_was_never_released_is_named() -> None:
    manifest = build_manifest(plan())
    other = replace(
        manifest,
        scenarios=tuple(replace(item, title="changed") for item in manifest.scenarios),
        clauses=tuple(replace(item, text=item.text + "!") for item in manifest.clauses),
        guards=tuple(replace(item, version=9) for item in manifest.guards[:1]),
        rules=(RuleRecord(id="leakage", version=1, digest="f" * 64),),
    )
    found = unknown_parts(other)
    assert "scenario 'moon_for_mars', version 1" in found
    assert "clause 'none/*'" in found
    assert f"guard {manifest.guards[0].id!r}, version 9" in found
    assert "rule 'leakage', version 1" in found
    assert "no rule for delivery" in found
    assert "no rule for leakage" not in found


def test_a_tool_that_no_released_world_declares_so_is_named() -> None:
    manifest = build_manifest(plan())
    tools = manifest.tools["maintenance"]
    for world, changed, named in (
        ("maintenance", {**tools, "more": tools["report"]}, "tool 'more' of world 'maintenance'"),
        (
            "maintenance",
            {**tools, "report": replace(tools["report"], digest="f" * 64)},
            "tool 'report' of world 'maintenance'",
        ),
        ("elsewhere", {"report": tools["report"]}, "tool 'report' of world 'elsewhere'"),
    ):
        spoiled = replace(manifest, tools={**manifest.tools, world: changed})
        assert unknown_parts(spoiled) == (named,)


def test_with_guards_on_every_guard_is_asked() -> None:
    manifest = build_manifest(plan())
    first, *others = manifest.guards
    fewer = replace(manifest, guards=tuple(others))
    assert unknown_parts(fewer) == (f"no guard {first.id!r}",)
    off = tuple(trial for trial in TRIALS if trial.guards == "off")
    assert unknown_parts(replace(fewer, trials=off)) == ()


CHANGED = Sourced(declared="f" * 64, source="f" * 64)


def test_a_changed_source_asks_for_a_version() -> None:
    now = current()
    rule, guard = next(iter(now.rules)), next(iter(now.guards))
    for old, what in (
        (replace(now, rules={**now.rules, rule: {"1": CHANGED}}), f"rule '{rule}' changed: raise"),
        (replace(now, guards={**now.guards, guard: {"1": CHANGED}}), f"guard '{guard}' changed"),
        (replace(now, shared={**now.shared, SHARED[0]: "f" * 64}), f"{SHARED[0]} changed: raise"),
        (replace(now, rules={}), "is not in the list"),
        (
            replace(now, scenarios={**now.scenarios, "moon_for_mars": {"1": "f" * 64}}),
            "scenario 'moon_for_mars' changed: raise the version 1",
        ),
        (
            replace(now, clauses={**now.clauses, "none/*": ("f" * 64,)}),
            "clause 'none/*' changed",
        ),
        (
            replace(now, tools={**now.tools, "maintenance": {}}),
            "of world 'maintenance' changed: raise the version of its scenarios",
        ),
    ):
        found = complaints(old, now)
        assert found
        assert all(what in line for line in found)
        assert all("regenerate" in line for line in found)


def test_an_older_version_stays_in_the_list_and_is_no_complaint(tmp_path: Path) -> None:
    path = tmp_path / NAME
    regenerate(path)
    fresh = from_json(Released, load_json(path.read_bytes()))
    assert complaints(fresh, current()) == ()
    old = replace(
        fresh,
        rules={**fresh.rules, "leakage": {"0": CHANGED}, "gone": {"1": CHANGED}},
        clauses={**fresh.clauses, "none/*": ("f" * 64,)},
    )
    path.write_text(text_json(to_json(old)))
    regenerate(path)
    merged = from_json(Released, load_json(path.read_bytes()))
    assert set(merged.rules["leakage"]) == {"0", "1"}
    assert merged.rules["gone"] == {"1": CHANGED}
    assert merged.clauses["none/*"] == ("f" * 64, *fresh.clauses["none/*"])
    assert complaints(merged, current()) == ()


def test_a_source_is_known_by_what_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledgers.released.files", lambda _package: tmp_path)

    def taken(text: str) -> str:
        (tmp_path / "x.py").write_text(text, encoding="utf-8")
        return source_digest("any/x.py")

    plain = taken('def f(a):\n    return a + "é"\n')
    same = taken(
        '"""What it is."""\n# why\ndef f(\n    a,\n):\n    """Add."""\n    return (a + "\\u00e9")\n'
    )
    assert plain == same
    for other in ('def f(a):\n    return a + "e"\n', 'def f(a, b):\n    return a + "é"\n', ""):
        assert taken(other) != plain
    assert taken("x = None\n") != taken("x = 0\n")


def test_every_shared_source_is_there_and_every_module_that_judges_is_shared() -> None:
    assert all(len(source_digest(name)) == 64 for name in SHARED)
    folder = Path(str(files("ledgers")))
    apart = {
        "__init__", "assemble", "baseline", "baselinefolder", "chain", "clauserecord", "coherence",
        "comparable",
        "compare_arms", "compare_effects", "compare_interactions", "comparison", "conduct",
        "crosscheck", "divergence", "entries", "frames", "gate", "gatecells", "gatelooks",
        "gatemarkdown", "gatemeans", "gatepairs", "gateplan", "gatepower", "gateresult",
        "honesty", "junit", "manifest", "marker", "oddities", "oversight", "pace", "packs",
        "reading", "recordings", "released", "runlock", "sarif", "seal", "store", "summary",
        "tampering", "usage", "verify",
    }  # fmt: skip
    judging = {path.stem for path in folder.glob("*.py")} - apart
    assert {f"ledgers/{name}.py" for name in judging} <= set(SHARED), (
        "a new module: say whether the meaning of rules rests on it"
    )
