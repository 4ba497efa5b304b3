"""`verify`: a ledger that holds, and its first four steps but for the files themselves."""

import time
from pathlib import Path
from typing import Any

import pytest

from grid.canonical import canonical, digest_of, load_json
from ledgers.chain import Head
from ledgers.manifest import manifest_digest
from ledgers.packs import INDEX
from ledgers.store import (
    ENVIRONMENT,
    HEAD,
    LEDGER,
    MANIFEST,
    TIMINGS,
    timing_line,
)
from ledgers.verify import verify
from tests.ledgers.forge import Forged, resum
from tests.ledgers.tampered import (
    BAD,
    HOSTILE,
    WIRED,
    Copy,
    edit,
    failing,
    lines_of,
    relinked,
    with_lines,
)


def test_a_sealed_run_holds_and_says_whether_it_was_pinned(sealed: tuple[Path, Head]) -> None:
    folder, head = sealed
    found = verify(folder)
    assert (found.head, found.count, found.trials) == (head.head, 8, 6)
    assert (found.pinned, found.unknown) == (False, ())
    assert verify(folder, head.head.upper() + "\n").pinned


def test_a_forged_copy_without_an_edit_holds(copy: Copy, sealed: tuple[Path, Head]) -> None:
    assert verify(Forged(copy()).rejudge().write(), sealed[1].head).pinned


@pytest.mark.parametrize("name", [MANIFEST, LEDGER, INDEX, HEAD, ENVIRONMENT, TIMINGS])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_content_of_a_file_fails_the_parsing_step(
    copy: Copy, name: str, hostile: str
) -> None:
    folder = copy()
    (folder / name).write_bytes(HOSTILE[hostile])
    allowed = (2,) if HOSTILE[hostile] or name not in (INDEX,) else (2, 5)
    start = time.process_time()
    assert failing(resum(folder)).step in allowed
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("format", 2),
        ("format", True),
        ("trials", []),
        ("trials/0/guards", "sometimes"),
        ("trials/0/scenario", "../../etc/passwd"),
        ("trials/0/number", -1),
        ("trials/1", None),
        ("scenarios/0/harm", []),
        ("scenarios/0/harm/0/family", "utility"),
        ("scenarios/0/goal", {"kind": "all", "of": []}),
        ("scenarios/0/goal", {"kind": "exec", "code": "import os"}),
        ("scenarios/0/id", "other"),
        ("scenarios/0/extra", 1),
        ("clauses/0/id", "other"),
        ("tools/maintenance", {}),
        ("tools/maintenance/mem_usage/digest", "0" * 64),
        ("tools/maintenance/mem_usage/declared/access", "admin"),
        ("rules/0/version", "1"),
    ],
)
def test_a_manifest_of_another_form_is_refused(copy: Copy, path: str, value: Any) -> None:
    forged = Forged(copy())
    edit(forged.manifest, path, value)
    assert failing(forged.write()).step == 2


def test_a_trial_planned_twice_is_refused(copy: Copy) -> None:
    forged = Forged(copy())
    forged.manifest["trials"].append(forged.manifest["trials"][0])
    assert failing(forged.write()).step == 2


def test_predicates_without_end_are_refused(copy: Copy) -> None:
    forged = Forged(copy())
    goal = forged.manifest["scenarios"][0]["goal"]
    forged.manifest["scenarios"][0]["goal"] = {"kind": "any", "of": [goal] * 300}
    assert "more than 256 predicates" in failing(forged.write()).detail


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("outcome", "success"),
        ("outcome", True),
        ("passed", True),
        ("status", "fine"),
        ("verdicts/0/cause", "luck"),
        ("funnel/claimed", None),
    ],
)
def test_an_entry_of_another_form_is_refused(copy: Copy, path: str, value: Any) -> None:
    forged = Forged(copy())
    edit(forged.entries[WIRED], path, value)
    assert failing(forged.write()).step == 2


def test_timings_are_those_of_the_plan(copy: Copy) -> None:
    folder = copy()
    lines = (folder / TIMINGS).read_bytes().splitlines(keepends=True)
    spoiled = (lines[:-1], [*lines, lines[0]], [lines[1], lines[0], *lines[2:]], [*lines, b"{}\n"])
    for kept in (*spoiled, [*lines, timing_line("../x", {})]):
        (folder / TIMINGS).write_bytes(b"".join(kept))
        assert failing(folder).step == 2


def test_each_entry_dropped_doubled_or_moved_is_found(copy: Copy) -> None:
    folder = copy()
    lines = lines_of(folder)
    for at in range(len(lines)):
        others = [*lines[:at], *lines[at + 1 :]]
        spoiled = [others, [*lines[: at + 1], lines[at], *lines[at + 1 :]]]
        spoiled += [[*others[:to], lines[at], *others[to:]] for to in range(len(lines)) if to != at]
        for kept in spoiled:
            assert failing(with_lines(folder, kept)).step in (2, 3)


@pytest.mark.parametrize("name", ["seq", "prev", "digest", "kind"])
def test_each_link_is_checked(copy: Copy, name: str) -> None:
    folder = copy()
    lines = lines_of(folder)
    value = load_json(lines[2])
    value[name] = {"seq": 3, "prev": "f" * 64, "digest": "f" * 64, "kind": "seal"}[name]
    lines[2] = canonical(value) + b"\n"
    assert failing(with_lines(folder, lines)).step == 3


def test_a_changed_body_is_found_even_with_its_own_digest_renewed(copy: Copy) -> None:
    folder = copy()
    lines = lines_of(folder)
    value = load_json(lines[2])
    value["body"]["outcome"] = "resisted"
    content = {key: item for key, item in value.items() if key != "digest"}
    lines[2] = canonical({**content, "digest": digest_of("entry", content)}) + b"\n"
    assert failing(with_lines(folder, lines)).step == 3


def test_a_ledger_cut_at_its_end_is_no_ledger(copy: Copy) -> None:
    folder = copy()
    lines = lines_of(folder)
    for count in range(len(lines)):
        assert failing(with_lines(folder, lines[:count])).step in (2, 3)


def test_header_and_seal_count_the_trials(copy: Copy) -> None:
    for name in ("header", "seal"):
        forged = Forged(copy())
        folder = forged.write()
        getattr(forged, name)["trials"] = 7
        forged.header["manifest"] = manifest_digest((folder / MANIFEST).read_bytes())
        lines = [load_json(line) for line in lines_of(folder)]
        lines[0]["body"], lines[-1]["body"] = forged.header, forged.seal
        assert failing(with_lines(folder, relinked(lines))).step == 3


def test_a_header_of_another_manifest_or_format_is_refused(copy: Copy) -> None:
    for name, value in (("manifest", "f" * 64), ("format", 2)):
        folder = copy()
        values = [load_json(line) for line in lines_of(folder)]
        values[0]["body"][name] = value
        assert failing(with_lines(folder, relinked(values))).step == 3


@pytest.mark.parametrize(("name", "value"), [("head", "f" * 64), ("count", 7)])
def test_another_head_is_found(copy: Copy, name: str, value: Any) -> None:
    folder = copy()
    head = load_json((folder / HEAD).read_bytes())
    (folder / HEAD).write_bytes(canonical({**head, name: value}) + b"\n")
    assert failing(folder).step == 4


def test_a_ledger_shortened_as_a_whole_is_found_with_its_head_alone(
    copy: Copy, sealed: tuple[Path, Head]
) -> None:
    forged = Forged(copy())
    forged.manifest["trials"].pop()
    for kept in (forged.evidence, forged.recordings, forged.entries):
        kept.pop()
    folder = forged.rejudge().write()
    lines = (folder / TIMINGS).read_bytes().splitlines(keepends=True)
    (folder / TIMINGS).write_bytes(b"".join(lines[:-1]))
    assert not verify(folder).pinned
    assert failing(folder, sealed[1].head).step == 4


def test_a_ledger_rewritten_as_a_whole_is_found_with_its_head_alone(
    copy: Copy, sealed: tuple[Path, Head]
) -> None:
    forged = Forged(copy())
    forged.evidence[BAD]["journal"]["final_text"] = "I did nothing wrong."
    folder = forged.rejudge().write()
    assert verify(folder).trials == 6
    assert failing(folder, sealed[1].head).step == 4


@pytest.mark.parametrize("head", ["", "abc", "f" * 64, "\x1b[31m" + "é" * 500])
def test_an_expected_head_that_is_none_fails_in_one_plain_line(
    sealed: tuple[Path, Head], head: str
) -> None:
    error = failing(sealed[0], head)
    assert error.step == 4
    assert "\x1b" not in error.detail
