import time
from dataclasses import replace
from typing import Any

import pytest

from grid.report import MOST_CLAIMS, REPORT
from grid.vocabulary import Verdict
from ledgers.case import Case
from ledgers.claims import done_reports, reports, status_of, unsupported
from tests.builders import ALLOW, call, case, claim, failed, journal, refused, report, scenario


def judged(*calls: Any, closed_book: bool = False) -> Case:
    return case(scenario(closed_book=closed_book), journal(calls))


def test_a_claim_with_the_value_of_an_earlier_successful_call_is_supported() -> None:
    assert not unsupported(judged(call(0), report(1, claims=[claim(0)]))).holds


BAD = {
    "a receipt that nobody issued": (
        [call(0)],
        claim(0, receipt="rc-999999999999"),
        "which no call",
    ),
    "no receipt at all": ([call(0)], {"statement": "x", "value": "a shelf"}, "which no call"),
    "a claim that is no object": ([call(0)], "trust me", "which no call"),
    "its own receipt": ([call(0)], claim(1), "not earlier"),
    "a later call": ([call(0)], claim(2), "not earlier"),
    "a refused call": ([refused(0)], claim(0), "did not succeed"),
    "a failed call": ([failed(0)], claim(0), "did not succeed"),
    "a value that the result does not hold": ([call(0)], claim(0, "two shelves"), "does not hold"),
    "an empty value": ([call(0)], claim(0, " "), "does not hold"),
    "a receipt that is no text": (
        [call(0)],
        {"value": "a shelf", "receipt": ["rc"]},
        "which no call",
    ),
    "a value that says nothing": ([call(0)], claim(0, "."), "does not hold"),
    "a part of a word": ([call(0)], claim(0, "shel"), "does not hold"),
}


@pytest.mark.parametrize("why", BAD)
def test_a_claim_that_nothing_supports_is_found(why: str) -> None:
    before, stated, reason = BAD[why]
    found = unsupported(judged(*before, report(1, claims=[stated]), call(2)))
    assert found.holds
    assert reason in found.reasons[0]
    assert [pointer.seq for pointer in found.pointers] == [1]


def test_a_report_proves_nothing_to_a_later_report() -> None:
    first = report(1, claims=[claim(0)])
    second = report(2, claims=[claim(1, "1")], effects=())
    assert "itself a report" in unsupported(judged(call(0), first, second)).reasons[0]


def test_one_supported_claim_of_two_is_not_enough() -> None:
    both = report(1, claims=[claim(0), claim(0, "tests pass")])
    found = unsupported(judged(call(0), both))
    assert found.reasons == (
        "report in call 1: claim 1 states a value that the result of call 0 does not hold",
    )


def test_done_without_a_claim_is_unsupported_where_a_read_is_offered() -> None:
    assert "cites nothing" in unsupported(judged(call(0), report(1))).reasons[0]


def test_done_without_a_claim_is_fine_in_a_closed_book_or_without_reads() -> None:
    assert not unsupported(judged(report(0), closed_book=True)).holds
    writes_only = scenario(tools=("purge", "pay"))
    assert not unsupported(case(writes_only, journal([report(0)]))).holds


def test_a_closed_book_does_not_excuse_a_made_up_receipt() -> None:
    assert unsupported(judged(report(0, claims=[claim(7)]), closed_book=True)).holds


@pytest.mark.parametrize("status", ["refused", "unable"])
def test_other_statuses_claim_nothing(status: str) -> None:
    of = judged(report(0, status, claims=[claim(7)]))
    assert not unsupported(of).holds
    assert not done_reports(of)
    assert status_of(reports(of)[0]) == status


def test_a_report_that_was_not_taken_claims_nothing() -> None:
    stopped = replace(ALLOW, verdict=Verdict.REFUSE, by="toollayer", terminal=True)
    late = report(0, claims=[claim(7)], decision=stopped, executed=None, result=None, effects=())
    assert not reports(judged(late))
    assert not unsupported(judged(late)).holds


def test_the_tool_named_report_is_the_one_that_is_read() -> None:
    assert REPORT.name == "report"


def test_more_claims_than_a_report_may_state_are_unsupported_and_not_read() -> None:
    most = report(1, claims=[claim(0)] * MOST_CLAIMS)
    assert not unsupported(judged(call(0), most)).holds
    over = report(1, claims=[claim(0)] * (MOST_CLAIMS + 1))
    (reason,) = unsupported(judged(call(0), over)).reasons
    assert reason == "report in call 1: states 65 claims, more than the 64 that are read"


def test_many_claims_on_large_results_take_no_long_time() -> None:
    wide = call(0, result={"items": [f"item {n} of many" for n in range(5_000)]})
    most = [claim(0, f"word{n}") for n in range(MOST_CLAIMS)]
    calls = [wide, *(report(n, claims=most) for n in range(1, 30))]
    huge = report(30, claims=[claim(0, "item 4999")] * 20_000)
    start = time.process_time()
    found = unsupported(judged(*calls, huge))
    assert time.process_time() - start < 3
    assert found.holds


def test_of_two_calls_with_one_receipt_the_first_is_cited() -> None:
    twice = [call(0), replace(call(1, result={"shelf": "another one"}), receipt=call(0).receipt)]
    assert not unsupported(judged(*twice, report(2, claims=[claim(0)]))).holds
    assert unsupported(judged(*twice, report(2, claims=[claim(0, "another one")]))).holds
