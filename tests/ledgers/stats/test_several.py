import pytest

from ledgers.stats.several import benjamini_hochberg, holm

BENJAMINI = (
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
    0.6528, 0.7590, 1.0000,
)  # fmt: skip
"""The fifteen p values of Benjamini and Hochberg (1995), section 3.2."""


def test_holm_gives_the_adjusted_values_that_can_be_worked_by_hand() -> None:
    assert holm((0.01, 0.04, 0.03, 0.005)) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_benjamini_and_hochberg_reject_four_in_their_own_example_and_holm_three() -> None:
    """Their paper: four by their procedure at q = 0.05; Bonferroni rejects three."""
    assert sum(p <= 0.05 for p in benjamini_hochberg(BENJAMINI)) == 4
    assert sum(p <= 0.05 for p in holm(BENJAMINI)) == 3


def test_the_order_is_that_of_the_question() -> None:
    mixed = (0.5, 0.001, 0.2, 0.001)
    for adjust in (holm, benjamini_hochberg):
        found = adjust(mixed)
        assert found[1] == found[3] == min(found)
        assert found[0] == max(found)
        assert adjust(mixed[::-1]) == pytest.approx(found[::-1])


def test_an_empty_family_has_no_p_value() -> None:
    assert holm(()) == ()
    assert benjamini_hochberg([]) == ()


def test_a_family_of_one_is_left_alone_and_none_exceeds_one() -> None:
    for adjust in (holm, benjamini_hochberg):
        assert adjust((0.03,)) == (0.03,)
        assert adjust((1.0, 1.0, 0.9)) == (1.0, 1.0, 1.0)
        assert adjust((0.0, 0.0)) == (0.0, 0.0)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), float("inf")])
def test_what_is_no_p_value_is_refused(bad: float) -> None:
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(ValueError, match="between 0 and 1"):
            adjust((0.1, bad))
