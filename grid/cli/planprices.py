"""What a million tokens of a model cost: a file of the user's own, since prices change.

    [[price]]
    model = "my-model"          # as on the command line or in the grid
    input_per_million = 0.25    # what a million tokens that are read cost
    output_per_million = 2.0    # what a million tokens that are written cost
    currency = "USD"            # three capital letters

Strict: an unknown key, a missing one, a number below 0 or NaN, or a model that stands twice is
refused. No price is shipped: none would stay true.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grid.display import visible
from grid.errors import ConfigError

LIMIT = 1_000_000
"""Bytes of a file of prices."""
MILLION = 1_000_000
KEYS = ("model", "input_per_million", "output_per_million", "currency")
HOW = (
    'give a TOML file with --prices: [[price]], model = "...", input_per_million = ..., '
    'output_per_million = ..., currency = "USD"'
)
"""How to give prices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model costs."""

    model: str
    """Model id."""
    input_per_million: float
    """Of a million tokens that are read."""
    output_per_million: float
    """Of a million tokens that are written."""
    currency: str
    """Three capital letters."""

    def cost(self, input_tokens: float, output_tokens: float) -> float:
        """Return what so many tokens cost."""
        read = input_tokens * self.input_per_million
        return (read + output_tokens * self.output_per_million) / MILLION


def read_prices(path: Path) -> dict[str, Price]:
    """Return model -> price.

    Raises:
        ConfigError: the file cannot be read, or says something else; naming the key.
    """
    try:
        data = path.read_bytes()[: LIMIT + 1]
        if len(data) > LIMIT:
            raise ConfigError(f"--prices: {path} is over {LIMIT} bytes; that is no list of prices")
        table = tomllib.loads(data.decode())
    except OSError as error:
        raise ConfigError(f"--prices: cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # no UTF-8, or no TOML
        raise ConfigError(f"--prices: {path} is no TOML: {error}; {HOW}") from error
    rows = table.pop("price", None)
    if table or not isinstance(rows, list) or not rows:
        other = f"there is {visible(min(table))!r} in it; " if table else ""
        raise ConfigError(f"--prices: {path}: {other}write nothing but [[price]] blocks; {HOW}")
    found: dict[str, Price] = {}
    for number, row in enumerate(rows, start=1):
        price = _price(f"--prices: {path}, [[price]] number {number}", row)
        if price.model in found:
            raise ConfigError(
                f"--prices: {path}: the model {visible(price.model)!r} stands twice; leave one out"
            )
        found[price.model] = price
    return found


def _price(where: str, row: Any) -> Price:
    if not isinstance(row, Mapping):
        raise ConfigError(f"{where}: that is no block; {HOW}")
    for key in sorted({*row} ^ {*KEYS}):
        what = f"there is no key {visible(key)!r}" if key in row else f"the key {key!r} is missing"
        raise ConfigError(f"{where}: {what}; write {', '.join(KEYS)}")
    model, currency = row["model"], row["currency"]
    if not isinstance(model, str) or not model:
        raise ConfigError(f"{where}: model: write the id of a model, in quotes")
    if not isinstance(currency, str) or not re.fullmatch("[A-Z]{3}", currency):
        raise ConfigError(f"{where}: currency: write three capital letters, such as 'USD'")
    return Price(
        model=model,
        input_per_million=_number(where, "input_per_million", row),
        output_per_million=_number(where, "output_per_million", row),
        currency=currency,
    )


def _number(where: str, key: str, row: Mapping[str, Any]) -> float:
    value = row[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_price(value):
        raise ConfigError(f"{where}: {key}: {value!r} is no price; write a number from 0")
    return float(value)


def _is_price(value: float) -> bool:
    return 0 <= value <= MILLION  # NaN is in no range
