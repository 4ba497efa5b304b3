"""Forging a run directory so that everything but one thing is consistent again.

What a patient attacker would do: edit, then write packs, index, chain, head and sums anew.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grid.canonical import canonical, digest, load_json
from grid.evidence import Evidence
from grid.strict import from_json, to_json
from ledgers.adjudicate import judge
from ledgers.chain import EntryKind, entry_lines, head_bytes, head_of, link, read_entries
from ledgers.entries import trial_entry
from ledgers.manifest import Manifest, manifest_bytes, manifest_digest
from ledgers.packs import INDEX, Pack, pack_frame, read_frame, read_index
from ledgers.reading import Kept, case_of, frames_by_trial, rules_of
from ledgers.seal import sums
from ledgers.store import HEAD, LEDGER, MANIFEST, SUMS

type Edit = Callable[[Any], None]


def leave(_value: Any) -> None:
    """Change nothing."""


@dataclass
class Forged:
    """A run taken apart, as JSON values; `write` puts it together again."""

    folder: Path
    manifest: Any = None
    evidence: list[Any] = field(default_factory=list)
    recordings: list[bytes | None] = field(default_factory=list)
    entries: list[Any] = field(default_factory=list)
    header: Any = None
    seal: Any = None

    def __post_init__(self) -> None:
        self.manifest = load_json((self.folder / MANIFEST).read_bytes())
        entries = read_entries((self.folder / LEDGER).read_bytes())
        self.header, self.seal = entries[0].body, entries[-1].body
        self.entries = [entry.body for entry in entries[1:-1]]
        frames = frames_by_trial(read_index((self.folder / INDEX).read_bytes()))
        for trial in from_json(Manifest, self.manifest).trials:
            of = frames[str(trial)]
            self.evidence.append(load_json(read_frame(self.folder, of[Pack.EVIDENCE])))
            wire = of.get(Pack.RECORDING)
            self.recordings.append(read_frame(self.folder, wire) if wire else None)

    def rejudge(self) -> "Forged":
        """Let the entries say what the rules make of the edited evidence."""
        manifest = from_json(Manifest, self.manifest)
        for number, value in enumerate(self.evidence):
            scenario = manifest.scenario(value["trial"]["scenario"])
            value["scenario"] = scenario.digest()
            self._refer(number)
            data = canonical(value)
            kept = Kept(
                evidence=from_json(Evidence, value), evidence_bytes=data,
                recording=self.recordings[number],
            )  # fmt: skip
            judgement = judge(case_of(kept, manifest), rules_of(manifest))
            self.entries[number] = to_json(trial_entry(kept.evidence, data, judgement))
        return self

    def write(self) -> Path:
        """Write packs, index, manifest, chain, head and sums."""
        self._write_packs()
        data = canonical(self.manifest) + b"\n"
        (self.folder / MANIFEST).write_bytes(data)
        self.header["manifest"] = manifest_digest(data)
        self.header["trials"] = self.seal["trials"] = len(self.entries)
        chained = tuple(
            link(
                [
                    (EntryKind.HEADER, self.header),
                    *((EntryKind.TRIAL, entry) for entry in self.entries),
                    (EntryKind.SEAL, self.seal),
                ]
            )
        )
        (self.folder / LEDGER).write_bytes(entry_lines(chained))
        (self.folder / HEAD).write_bytes(head_bytes(head_of(chained)))
        return resum(self.folder)

    def _refer(self, number: int) -> None:
        recording, value = self.recordings[number], self.evidence[number]
        if recording is not None and value["recording"] is not None:
            value["recording"]["digest"] = digest("recording", recording)
            value["recording"]["count"] = recording.count(b"\n")

    def _write_packs(self) -> None:
        lines, packs = [], {pack: b"" for pack in Pack}
        for number, value in enumerate(self.evidence):
            recording = self.recordings[number]
            parts = [(Pack.EVIDENCE, canonical(value))]
            if recording is not None:
                parts.insert(0, (Pack.RECORDING, recording))
                self.entries[number]["recording"]["digest"] = digest("recording", recording)
                self.entries[number]["recording"]["count"] = recording.count(b"\n")
            self.entries[number]["evidence"] = digest("evidence", canonical(value))
            for pack, data in parts:
                frame = pack_frame(data)
                lines.append(
                    {
                        "trial": self._name(number), "pack": pack.value,
                        "offset": len(packs[pack]), "length": len(frame),
                        "digest": digest(pack.value, data),
                    }
                )  # fmt: skip
                packs[pack] += frame
        (self.folder / INDEX).write_bytes(b"".join(canonical(line) + b"\n" for line in lines))
        for pack, data in packs.items():
            (self.folder / pack.file).write_bytes(data)

    def _name(self, number: int) -> str:
        trial = self.entries[number]["trial"]
        names = ("scenario", "framework", "model", "clause", "guards", "language", "number")
        return "/".join(str(trial[name]) for name in names)


def resum(folder: Path) -> Path:
    """Write SHA256SUMS anew."""
    (folder / SUMS).write_bytes(sums(folder))
    return folder


def manifest_of(folder: Path) -> Manifest:
    manifest = from_json(Manifest, load_json((folder / MANIFEST).read_bytes()))
    assert manifest_bytes(manifest) == (folder / MANIFEST).read_bytes()
    return manifest
