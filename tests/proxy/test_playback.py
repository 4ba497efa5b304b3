from pathlib import Path

from proxy.playback import Playback, playing


def test_a_path_alone_is_a_strict_replay() -> None:
    file = Path("recording.jsonl")
    assert playing(None) == {"replay": None}
    assert playing(file) == playing(Playback(file=file))
    assert playing(file) == {"replay": str(file.absolute()), "crossed": False, "volatile": []}


def test_how_strict_it_is_goes_to_the_proxy() -> None:
    told = playing(Playback(file=Path("r"), volatile=("/user", "/a/*")))
    assert told["volatile"] == ["/user", "/a/*"]
    assert playing(Playback(file=Path("r"), crossed=True))["crossed"] is True
