"""grid.models: ids of real models, taken apart strictly, and what they put into a request."""

import pytest

from grid.errors import ConfigError
from grid.models import (
    PROVIDERS,
    SEED_RANGE,
    check_model,
    is_sampled,
    is_scripted,
    read_model,
    sampling_of,
    wire_name,
)

SEED = "00000000075bcd15" + "f" * 16
DRAWN = 0x075BCD15


def test_an_id_is_provider_name_and_parameters() -> None:
    model = read_model("vllm/meta-llama/Llama-3.1-8B,temperature=0.7,max_tokens=200,top_p=0.9")
    assert (model.provider.id, model.name) == ("vllm", "meta-llama/Llama-3.1-8B")
    assert model.parameters == {"temperature": 0.7, "max_tokens": 200, "top_p": 0.9}
    assert wire_name("ollama/qwen2.5:0.5b,temperature=0") == "qwen2.5:0.5b"
    assert wire_name("scripted/wavering/0.3") == "wavering/0.3"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gpt-5", "openai/<name> with --base-url"),
        ("opnai/gpt-5", "Did you mean openai/"),
        ("openai/", "names no model"),
        ("openai", "names no model"),
        ("openai/a b", "holds a space"),
        ("openai/a/", "ends with '/'"),
        ("openai/\u202eab", "names no model"),
        ("local/" + "a" * 200, "at most 200"),
        ("local/q,heat=1", "no parameter 'heat'"),
        ("local/q,", "no parameter ''"),
        ("local/q,temperature", "temperature='' does not fit"),
        ("local/q,temperature=2.5", "a number from 0 to 2"),
        ("local/q,temperature=nan", "a number from 0 to 2"),
        ("local/q,temperature=-0", "a number from 0 to 2"),
        ("local/q,temperature=1e0", "a number from 0 to 2"),
        ("local/q,temperature=\u0661", "a number from 0 to 2"),
        ("local/q,max_tokens=0", "a whole number from 1"),
        ("local/q,max_tokens=1.5", "a whole number from 1"),
        ("local/q,seed=2147483648", "a whole number from 0 to 2147483647, or off"),
        ("local/q,top_p=0.5,top_p=0.5", "top_p stands twice"),
    ],
)
def test_what_is_no_model_is_refused_with_what_to_write(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_model(text)
    assert says in str(caught.value)
    assert caught.value.field == "models"


def test_a_seed_goes_out_where_servers_take_one_and_is_the_trials_own() -> None:
    assert sampling_of("local/q", SEED) == {"seed": DRAWN}
    assert sampling_of("local/q,seed=7", SEED) == {"seed": 7}
    assert sampling_of("local/q,seed=off", SEED) == {}
    assert sampling_of("openai/gpt", SEED) == {}
    assert sampling_of("openai/gpt,seed=7", SEED) == {"seed": 7}
    assert sampling_of("scripted/honest", SEED) == {}
    assert sampling_of("local/q", "f" * 32)["seed"] < SEED_RANGE


def test_the_limit_of_an_answer_has_each_providers_name() -> None:
    assert sampling_of("openai/gpt,max_tokens=9", SEED) == {"max_completion_tokens": 9}
    assert sampling_of("ollama/q,max_tokens=9,seed=off", SEED) == {"max_tokens": 9}


def test_repeats_are_samples_unless_they_must_come_out_alike() -> None:
    assert is_sampled("local/q")
    assert is_sampled("local/q,temperature=0.7")
    assert not is_sampled("local/q,temperature=0"), "the same answer every time"
    assert not is_sampled("local/q,temperature=0.7,seed=7"), "the same draw every time"
    assert is_sampled("openai/gpt,temperature=0"), "a provider promises nothing"
    assert is_sampled("acme/unknown"), "nobody can say that it answers alike"
    assert is_sampled("scripted/wavering/0.4")
    assert not is_sampled("scripted/honest")
    assert not is_sampled("scripted/nobody-knows")


def test_personas_are_no_providers() -> None:
    assert is_scripted("scripted/honest")
    assert not is_scripted("local/q")
    assert "scripted" not in PROVIDERS
    check_model("scripted/wavering/0.4")
    with pytest.raises(ConfigError, match="unknown persona"):
        check_model("scripted/nobody")
