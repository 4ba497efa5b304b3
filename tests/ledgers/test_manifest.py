from dataclasses import replace
from typing import Any

import pytest

from grid.canonical import canonical, digest_of, load_json
from grid.catalogue import scenario
from grid.errors import CanonicalError, StrictError
from grid.plan import trial_seed
from grid.scenario import Tamper
from grid.strict import to_json
from grid.vocabulary import TamperKind
from ledgers.manifest import (
    MANIFEST_FORMAT,
    Manifest,
    ModelRecord,
    Source,
    build_manifest,
    current_rules,
    manifest_bytes,
    manifest_digest,
    read_manifest,
)
from ledgers.rules import all_rules
from tests.ledgers.runs import SEED, TRIALS, plan, trial


def made(**changes: Any) -> Manifest:
    return replace(build_manifest(plan()), **changes)


def refused(match: str, **changes: Any) -> None:
    with pytest.raises(StrictError, match=match):
        read_manifest(manifest_bytes(made(**changes)))


def test_a_manifest_reads_back_to_the_same_bytes() -> None:
    data = manifest_bytes(made())
    assert manifest_bytes(read_manifest(data)) == data


def test_a_manifest_holds_exactly_what_its_trials_need() -> None:
    manifest = made()
    assert manifest.format == MANIFEST_FORMAT
    assert manifest.trials == TRIALS
    assert [item.id for item in manifest.scenarios] == ["moon_for_mars", "moon_for_mars.benign"]
    assert [clause.id for clause in manifest.clauses] == [
        "no-system-prompt",
        "none",
        "tool-output-is-data",
    ]
    assert [guard.id for guard in manifest.guards] == ["node_presence", "terminal_refusal"]
    assert [rule.id for rule in manifest.rules] == [rule.id for rule in all_rules()]
    assert set(manifest.tools) == {"maintenance"}
    assert "report" in manifest.tools["maintenance"]


def test_scenarios_keep_their_digest_through_the_file() -> None:
    for item in read_manifest(manifest_bytes(made())).scenarios:
        assert item.digest() == scenario(item.id).digest()


def test_renamed_scenarios_have_another_digest() -> None:
    assert manifest_bytes(build_manifest(plan(), names=3)) != manifest_bytes(made())


def test_every_part_changes_the_digest() -> None:
    whole = made()
    others = [
        made(seed=8),
        made(name="other"),
        made(trials=TRIALS[:-1]),
        made(clauses=whole.clauses[:-1]),
        made(guards=whole.guards[:-1]),
        made(rules=whole.rules[:-1]),
    ]
    digests = {manifest_digest(manifest_bytes(item)) for item in (whole, *others)}
    assert len(digests) == 7


def test_a_trials_clause_is_found_in_its_language_or_in_all() -> None:
    manifest = made()
    assert manifest.clause(TRIALS[3]).language == "en"
    assert manifest.clause(TRIALS[5]).language == "*"
    with pytest.raises(StrictError, match="no clause for"):
        manifest.clause(replace(TRIALS[3], language="ja"))
    with pytest.raises(StrictError, match="no scenario"):
        manifest.scenario("elsewhere")


def test_real_models_stand_in_the_manifest_with_their_sums() -> None:
    record = ModelRecord(
        id="local/q,temperature=0.7",
        requested="q",
        parameters={"temperature": 0.7},
        weights="0" * 64,
    )
    trials = [replace(TRIALS[2], model=record.id)]
    manifest = build_manifest(plan(trials), models=(record,))
    assert read_manifest(manifest_bytes(manifest)).models == (record,)
    assert b'"models"' not in manifest_bytes(made()), "personas are none"
    for wrong, why in (
        ((), "not exactly the real ones"),
        ((record, record), "not exactly the real ones"),
        ((replace(record, weights="abc"),), "no sha256"),
        ((replace(record, template="0" * 63),), "no sha256"),
    ):
        with pytest.raises(StrictError, match=why):
            read_manifest(manifest_bytes(replace(manifest, models=wrong)))


def test_a_clause_that_leaves_results_alone_is_written_as_ever() -> None:
    for record in made().clauses:
        assert set(to_json(record)) == {"id", "language", "placement", "text"}
    of = replace(TRIALS[3], clause="data-in-marks")
    (record,) = build_manifest(plan([of])).clauses
    assert to_json(record)["results"] == "marked"
    assert "{nonce}" in record.text
    data = manifest_bytes(build_manifest(plan([of])))
    assert read_manifest(data) == build_manifest(plan([of]))
    said = data.replace(b'"results":"marked"', b'"results":"plain"')
    with pytest.raises(StrictError, match="not in canonical form"):
        read_manifest(said)


def test_parts_that_do_not_fit_together_are_refused() -> None:
    manifest = made()
    refused("without trials", trials=())
    refused("stands twice", trials=(*TRIALS, TRIALS[0]))
    refused("no place in a grid", trials=(replace(TRIALS[0], number=-1),))
    refused("no place in a grid", trials=(replace(TRIALS[0], framework="a/b"),))
    refused("no place in a grid", trials=(replace(TRIALS[0], scenario=""),))
    refused("no guard setting", trials=(replace(TRIALS[0], guards="maybe"),))
    refused("no clause for", trials=(replace(TRIALS[0], clause="other"),))
    refused("no scenario", trials=(trial("elsewhere", "scripted", "honest"),))
    refused("not exactly those", scenarios=tuple(reversed(manifest.scenarios)))
    refused("not exactly those", trials=TRIALS[:1])
    refused("missing", tools={"maintenance": {}})
    refused("missing", tools={})
    refused("stands twice", rules=(*manifest.rules, manifest.rules[0]))
    refused("stands twice", guards=(*manifest.guards, manifest.guards[0]))
    refused("format", format=2)


def test_a_secret_that_no_scenario_declares_is_refused() -> None:
    value = to_json(made())
    value["scenarios"][0]["goal"] = {
        "kind": "leaked", "secret": "nobodys", "into": ["sink"], "tables": [],
    }  # fmt: skip
    with pytest.raises(StrictError, match="declares no secret 'nobodys'"):
        read_manifest(canonical(value) + b"\n")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda tool: tool["declared"].update(name="other"),
        lambda tool: tool["declared"].update(access="admin"),
        lambda tool: tool["declared"].update(parameters=[]),
        lambda tool: tool["declared"].pop("parameters"),
    ],
)
def test_a_declaration_that_is_none_is_refused_even_with_its_digest(spoil: Any) -> None:
    value = to_json(made())
    tool = value["tools"]["maintenance"]["mem_usage"]
    spoil(tool)
    with pytest.raises(StrictError, match="not the declaration's"):
        read_manifest(canonical(value) + b"\n")
    tool["digest"] = digest_of("tool", tool["declared"])
    with pytest.raises(StrictError, match="declaration"):
        read_manifest(canonical(value) + b"\n")


def test_other_bytes_of_the_same_manifest_are_refused() -> None:
    data = manifest_bytes(made())
    for other in (data[:-1], data + b"\n", data.replace(b'{"clauses"', b'{ "clauses"', 1)):
        with pytest.raises((StrictError, CanonicalError)):
            read_manifest(other)


def test_todays_rules_are_those_of_the_registry() -> None:
    assert [(rule.id, rule.version, rule.digest) for rule in current_rules()] == [
        (rule.id, rule.version, rule.digest()) for rule in all_rules()
    ]


FAULTS = (
    Tamper(kind=TamperKind.STATUS, answer=0, value=429, rate=0.1, retry_after=2),
    Tamper(kind=TamperKind.INJECT, answer=0, tool="look", value="pay"),
)


def test_what_a_grid_plants_stands_in_the_manifest_and_nothing_where_nothing_is_planted() -> None:
    planted = build_manifest(replace(plan(), tamper=FAULTS))
    assert planted.tamper == FAULTS
    data = manifest_bytes(planted)
    assert read_manifest(data) == planted
    assert manifest_bytes(read_manifest(data)) == data
    plain = manifest_bytes(made())
    assert "tamper" not in load_json(plain)
    assert manifest_digest(plain) != manifest_digest(data)
    assert manifest_bytes(replace(planted, tamper=())) == plain


def test_faults_that_could_not_be_planted_are_refused() -> None:
    good = to_json(build_manifest(replace(plan(), tamper=FAULTS)))
    for change, why in (
        ({"kind": "never"}, "/tamper/0/kind"),
        ({"rate": 2.0}, "from 0 to 1"),
        ({"rate": "often"}, "/tamper/0/rate"),
        ({"retry_after": None}, "not in canonical form"),
        ({"more": 1}, "no field"),
    ):
        spoiled = {**good, "tamper": [{**good["tamper"][0], **change}]}
        with pytest.raises(StrictError, match=why):
            read_manifest(canonical(spoiled) + b"\n")
    refused("more than 32 faults", tamper=FAULTS[:1] * 33)


HEAD = "ab" * 32
PLAYED = tuple(
    replace(trial, framework="crewai") for trial in TRIALS if trial.framework == "strands"
)


def played(head: str = HEAD, framework: str = "strands", **changes: Any) -> Manifest:
    source = Source(head=head, framework=framework)
    return replace(build_manifest(plan(PLAYED)), source=source, **changes)


def test_a_run_that_asked_its_models_says_nothing_of_a_source() -> None:
    assert "source" not in load_json(manifest_bytes(made()))
    assert made().source is None
    assert made().seed_of(TRIALS[0]) == trial_seed(SEED, TRIALS[0])


def test_a_source_reads_back_and_changes_the_digest() -> None:
    data = manifest_bytes(played())
    assert read_manifest(data) == played()
    assert load_json(data)["source"] == {"framework": "strands", "head": HEAD}
    others = (played(head="cd" * 32), played(framework="langgraph"), replace(played(), source=None))
    digests = {manifest_digest(manifest_bytes(item)) for item in (played(), *others)}
    assert len(digests) == 4


def test_a_played_trial_has_the_seed_of_the_recorded_one() -> None:
    recorded = [of for of in TRIALS if of.framework == "strands"]
    for there, of in zip(PLAYED, recorded, strict=True):
        assert played().seed_of(there) == trial_seed(SEED, of) != trial_seed(SEED, there)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"head": HEAD.upper()}, "source/head"),
        ({"head": HEAD[:-1]}, "source/head"),
        ({"head": ""}, "source/head"),
        ({"framework": ""}, "source/framework"),
        ({"framework": "a/b"}, "source/framework"),
        ({"framework": "crewai"}, "from one framework to others"),
        ({"framework": "scripted"}, "on a wire"),
        ({"trials": (*PLAYED, TRIALS[0])}, "on a wire"),
        ({"trials": (*PLAYED, TRIALS[2])}, "from one framework to others"),
    ],
)
def test_a_source_that_cannot_be_one_is_refused(changes: dict[str, Any], match: str) -> None:
    with pytest.raises(StrictError, match=match):
        read_manifest(manifest_bytes(played(**changes)))


@pytest.mark.parametrize(
    "source", [b"null", b'"x"', b'{"framework":"strands"}', b'{"framework":"s","head":"h","x":1}']
)
def test_a_source_in_another_form_is_refused(source: bytes) -> None:
    data = manifest_bytes(played())
    written = canonical({"framework": "strands", "head": HEAD})
    assert written in data
    with pytest.raises(StrictError):
        read_manifest(data.replace(written, source))
