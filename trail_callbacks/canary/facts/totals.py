"""Words that announce a total, its parts or what is left of it."""

import re

__all__ = ["TOTAL"]

TOTAL = re.compile(
    r"\b(?:in total|total\w*|totall?ing|sums?|altogether|together|in all|overall|combined|add(?:s|ed|ing)? up|of which|"
    r"of these|of them|including|consist\w*|compris\w*|made up|sub-?total|remain\w*|left|rest|difference|balance|net|"
    r"insgesamt|gesamt\w*|summe|zusammen|davon|en tout|au total|somme|dont|in totale|complessiv\w*|suma|"
    r"totaal|samen|waarvan|итого|всего)\b",
    re.IGNORECASE,
)
