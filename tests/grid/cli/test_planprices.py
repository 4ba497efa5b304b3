"""grid.cli.planprices: prices are the user's, and are read strictly."""

from pathlib import Path

import pytest

from grid.cli.planprices import read_prices
from grid.errors import ConfigError

GOOD = """
[[price]]
model = "a/b"
input_per_million = 0.5
output_per_million = 2
currency = "USD"
"""


def read(tmp_path: Path, text: str | bytes) -> str:
    path = tmp_path / "prices.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as found:
        read_prices(path)
    return str(found.value)


def test_a_price_is_of_a_million_tokens(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(GOOD + GOOD.replace("a/b", "c").replace("USD", "EUR"))
    prices = read_prices(tmp_path / "p.toml")
    assert prices["a/b"].cost(2_000_000, 500_000) == 0.5 * 2 + 2 * 0.5
    assert (prices["c"].currency, list(prices)) == ("EUR", ["a/b", "c"])


@pytest.mark.parametrize(
    "number", ["nan", "inf", "-inf", "-0.1", "true", '"1"', "1e300", "9" * 400]
)
def test_what_is_no_price_is_refused(tmp_path: Path, number: str) -> None:
    said = read(tmp_path, GOOD.replace("0.5", number))
    assert "[[price]] number 1: input_per_million: " in said
    assert "is no price; write a number from 0" in said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (GOOD + "extra = 1\n", "there is no key 'extra'; write model, input_per_million"),
        (GOOD.replace('currency = "USD"', ""), "the key 'currency' is missing"),
        (GOOD.replace("USD", "usd"), "three capital letters, such as 'USD'"),
        (GOOD.replace('"a/b"', '""'), "model: write the id of a model"),
        (GOOD + GOOD, "the model 'a/b' stands twice"),
        ("x = 1\n" + GOOD, "there is 'x' in it; write nothing but [[price]] blocks"),
        ("price = []", "write nothing but [[price]] blocks"),
        ("price = [1]", "[[price]] number 1: that is no block"),
        ("", "write nothing but [[price]] blocks"),
        ("model: x", "is no TOML"),
        (b"\xff\xfe", "is no TOML"),
        (b"#" * 1_000_001, "is over 1000000 bytes"),
    ],
)
def test_a_file_that_says_something_else_is_refused(
    tmp_path: Path, text: str | bytes, sentence: str
) -> None:
    assert sentence in read(tmp_path, text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--prices: cannot read .*nowhere"):
        read_prices(tmp_path / "nowhere")


def test_brackets_without_end_are_no_toml(tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text("price = " + "[" * 100_000)
    with pytest.raises(ConfigError, match="is no TOML"):
        read_prices(tmp_path / "deep.toml")
