"""A person's word on calls, for a framework that asks call by call."""

from collections.abc import Sequence
from typing import Any

from frameworks._oversight import Words
from frameworks._run import Run
from grid.adapter import Asked, Delivered
from grid.wirecall import WireCall
from tests.frameworks.stage import FakeSession

NO = Delivered(text="no", is_error=True, halt=False)


def run(*calls: tuple[str, str], words: Sequence[Delivered | None] = ()) -> tuple[Run, list[Any]]:
    asked: list[Any] = []

    def decide(batch: Sequence[Asked]) -> tuple[Delivered | None, ...]:
        asked.append(list(batch))
        return tuple(words[: len(batch)]) if words else (None,) * len(batch)

    session = FakeSession(base_url="", overseen=("pay",), decide=decide)
    found = Run(session)
    found.waiting = [
        WireCall(id=f"c{place}", name=name, raw_arguments=raw)
        for place, (name, raw) in enumerate(calls)
    ]
    return found, asked


def asked(raw: str) -> Asked:
    return Asked(name="pay", arguments=raw, call_id=None)


def word(of: Words, raw: str) -> Delivered | None:
    return of.on(asked(raw), lambda item: item.raw_arguments == raw)


def test_all_overseen_calls_of_an_answer_are_asked_about_at_the_first_of_them() -> None:
    on, questions = run(("pay", "1"), ("look", "{}"), ("pay", "2"), words=(None, NO))
    of = Words(on)
    assert (word(of, "1"), word(of, "2")) == (None, NO)
    assert [[call.call_id for call in batch] for batch in questions] == [["c0", "c2"]]
    assert [call.arguments for call in questions[0]] == [1, 2]


def test_two_equal_calls_have_a_word_each() -> None:
    on, _ = run(("pay", "1"), ("pay", "1"), words=(NO, None))
    of = Words(on)
    assert (word(of, "1"), word(of, "1")) == (NO, None)


def test_a_call_that_the_model_did_not_ask_for_is_a_question_of_its_own() -> None:
    on, questions = run(("pay", "1"))
    of = Words(on)
    assert word(of, "9") is None
    assert [len(batch) for batch in questions] == [1, 1]
    assert questions[1] == [asked("9")]


def test_with_a_new_answer_everything_is_asked_anew() -> None:
    on, questions = run(("pay", "1"))
    of = Words(on)
    word(of, "1")
    of.forget()
    word(of, "1")
    assert len(questions) == 2


def test_arguments_that_are_no_json_are_shown_as_they_stand() -> None:
    on, questions = run(("pay", '{"amount": '))
    word(Words(on), '{"amount": ')
    assert questions[0][0].arguments == '{"amount": '


def test_a_denied_call_is_not_waited_for_any_more() -> None:
    on, _ = run(("pay", "1"), ("pay", "2"), words=(None, NO))
    word(Words(on), "1")
    assert [item.id for item in on.waiting] == ["c0"]
