"""Rows with an answer of two sentences, of which the first is right in every second row."""


def row(n, **more):
    year = 1874 if n % 2 else 1800 + n % 60
    return {
        "id": f"r{n}",
        "question": f"When was tower {n} finished?",
        "answer": f"Tower {n} was finished in {year}. It is 31 metres high.",
        "sources": [f"Tower {n} was finished in 1874. It is 31 metres high."],
        "tenant": "ab"[n % 2],
        **more,
    }


def rows(count):
    return [row(n) for n in range(count)]
