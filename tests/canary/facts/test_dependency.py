"""What follows from other figures is worked out in the digits in which it is written."""

import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.facts.dependency import Dependency
from trail_callbacks.canary.facts.pages import pages


def figures(text):
    return pages(Corpus([Document("a", text)]))[0].figures


@pytest.mark.parametrize(
    ("text", "rule", "factor", "value"),
    [
        ("It has 12 adults, 28 adults and 40 adults.", "sum", 2.0, 52.0),
        ("It has 30 adults, 40 adults, 75 percent.", "share", 0.5, 37.5),
        ("It has 1,187 adults, about 1,200 adults.", "rounded", 0.5, 600.0),
        ("It has 1,187 adults, more than 1,100 adults.", "rounded", 0.5, 500.0),
        ("It has 1,187 adults, nearly 1,200 adults.", "rounded", 0.5, 600.0),
        ("It has 1,187 adults, nearly 1,200 adults.", "rounded", 1200 / 1187, 1300.0),
    ],
)
def test_value(text, rule, factor, value):
    *parts, result = figures(text)
    found = Dependency(result, tuple(parts), rule)
    assert found.holds({})
    new = {parts[0]: parts[0].quantity.value * factor}
    assert found.value(new) == pytest.approx(value)
    assert not found.holds(new)
    assert found.holds({**new, result: found.value(new)})
