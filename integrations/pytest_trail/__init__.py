"""Checks of answers in pytest: the fixtures `trail_check` and `assert_grounded`, and what they report.

Start with `plugin`, which pytest loads. `grounded` has the rule that a report must pass, and `repeated` the vote over
several checks of one answer. `recorded` has what one test checked and the file of accepted findings; `gathered` what
all tests did: it runs on the controller, which alone writes files. Nothing of the engine is imported before a test
uses a fixture, so that a suite that uses none pays nothing but these modules.
"""

from pytest_trail.grounded import assert_grounded

__all__ = ["assert_grounded"]
