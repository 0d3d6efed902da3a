import pytest

from trail_callbacks.judges.local.checks import negation


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("The council approved the plan.", "The council did not approve the plan.", ("approved", "not approve")),
        ("The council never approved the plan.", "The council approved the plan.", ("never approved", "approved")),
        (
            "The council approved the plan.",
            "The council refused to approve the plan.",
            ("approved", "refused to approve"),
        ),
        ("The council approved the plan.", "It is not true that nobody met, but the council approved the plan.", None),
        ("The council approved the plan.", "Not only the council approved the plan.", None),
        ("It snows in winter.", "We know that it snows in winter.", None),
        ("The policy covers bicycles.", "Bicycles without a motor are covered by the policy.", None),
        ("The drug does not cause headaches.", "No headaches were caused by the drug.", None),
        ("No side effects were reported.", "Side effects were not reported.", None),
        ("There is no evidence of a link.", "There is no clear evidence of a link.", None),
        ("The treaty was not signed in London.", "The treaty was signed in Paris, not in London.", None),
        ("The drug does not cause pain.", "The drug causes pain but no nausea.", ("not cause", "causes")),
        ("The dose was increased.", "The dose was decreased.", ("increased", "decreased")),
        ("The claim is supported.", "The claim is unsupported.", ("supported", "unsupported")),
        ("Prices fell in May.", "Prices rose in May.", ("fell", "rose")),
    ],
)
def test_what_only_one_side_denies_is_found(found, claim, passage, expected):
    assert found(negation.compare, claim, passage) == expected
