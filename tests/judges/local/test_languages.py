# ruff: noqa: RUF001 - signs that look like others are what is tested
"""Other languages than English: numbers, dates and names are compared, and the report says what is not."""

import pytest

from trail_callbacks import check

SENTENCES = {
    "German": ("Der Turm ist 330 Meter hoch und wurde im Jahr 1889 eröffnet.", "1889", "1989"),
    "Spanish": ("La torre mide 330 metros y fue inaugurada en 1889.", "1889", "1989"),
    "French": ("La tour mesure 330 mètres et fut inaugurée en 1889 par Eiffel.", "1889", "1989"),
    "Italian": ("La torre è alta 330 metri ed è stata inaugurata nel 1889.", "1889", "1989"),
    "Portuguese": ("A torre tem 330 metros de altura e foi inaugurada em 1889.", "1889", "1989"),
    "Dutch": ("De toren van de stad is 330 meter hoog en werd in 1889 geopend.", "1889", "1989"),
    "Russian": ("Башня имеет высоту 330 метров и была открыта в 1889 году.", "1889", "1989"),
    "Chinese": ("埃菲尔铁塔高330米，于1889年落成。", "1889", "1989"),
    "Japanese": ("エッフェル塔の高さは330メートルで、1889年に完成しました。", "1889", "1989"),
    "Arabic": ("يبلغ ارتفاع البرج 330 مترا وافتتح في عام 1889.", "1889", "1989"),
    "Hindi": ("मीनार की ऊंचाई 330 मीटर है और यह 1889 में खोली गई थी।", "1889", "1989"),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_the_same_is_supported_another_year_is_not_and_a_warning_says_what_was_compared(name):
    text, year, other = SENTENCES[name]
    same = check(text, text)
    assert {str(verdict.support) for verdict in same.verdicts} == {"supported"}
    assert any(f"in {name}" in warning and "not negation" in warning for warning in same.warnings)
    wrong = check(text.replace(year, other), text)
    assert "supported" not in {str(verdict.support) for verdict in wrong.verdicts}
    assert "number" in {str(verdict.error_type) for verdict in wrong.verdicts}
