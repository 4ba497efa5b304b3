"""`strays`: what belonged to no trial."""

from proxy.strays import SHOWN, Strays


def test_the_first_few_are_kept_and_all_are_counted() -> None:
    strays = Strays()
    for n in range(SHOWN + 3):
        strays.add("GET", "one.test:443", f"/{n}")
    told = strays.told()
    assert told["count"] == SHOWN + 3
    assert [stray["path"] for stray in told["first"]] == [f"/{n}" for n in range(SHOWN)]


def test_no_query_no_token_and_nothing_that_a_terminal_obeys_is_kept() -> None:
    strays = Strays()
    strays.add("GET\x1b[2J", "h" * 500, f"/t/{'a' * 32}/v1/x?key=secret#f")
    (stray,) = strays.told()["first"]
    assert stray["method"] == "GET?[2J"
    assert len(stray["host"]) < 200
    assert stray["path"] == "/t/[trial token]/v1/x"


def test_what_a_connection_sent_before_it_named_its_trial_is_forgiven() -> None:
    strays = Strays()
    for connection in ("a", "b", "c"):
        strays.hold(connection, "CONNECT", "one.test:443", "")
    assert strays.told()["count"] == 3
    strays.forgive("a")
    strays.ended("a")
    strays.ended("b")
    assert strays.told()["count"] == 2
    strays.forgive("b")
    assert strays.told()["count"] == 2, "too late"


def test_addresses_that_are_not_listed_are_counted_and_bounded() -> None:
    strays = Strays()
    for n in range(SHOWN + 3):
        strays.refused(f"{n}.test:443")
        strays.refused("0.test:443")
    unlisted = strays.told()["unlisted"]
    assert len(unlisted) == SHOWN
    assert unlisted["0.test:443"] == SHOWN + 4
    assert strays.told()["count"] == 0
