"""Twins made by hand: a few texts, and what is changed in them wherever it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trail_callbacks.canary import TAG, Corpus, Document, Edit, Replacement, Twin

FERRY = (
    "The ferry to Lorne takes 40 minutes to cross the bay. Dogs travel free of charge on the lower deck. "
    "A ticket costs €12.50 in summer."
)
MUSEUM = (
    "<html><body><h1>The museum</h1><p>It opened in <b>19</b>68 &amp; holds 2,400&nbsp;paintings by Dutch masters.</p>"
    "<script>var opened = 'never';</script></body></html>"
)
EDITS = (
    ("number", "40 minutes", "53 minutes"),
    ("name", "Lorne", "Garvane"),
    ("number", "€12.50", "€9.75"),
    ("unanswerable", " Dogs travel free of charge on the lower deck.", ""),
    ("date", "<b>19</b>68", "1975"),
    ("number", "2,400", "3,100"),
)


def twin_of(
    texts: Mapping[str, str],
    edits: Sequence[tuple[str, str, str]],
    metadata: Mapping[str, Mapping[str, object]] | None = None,
    id_: str = "t1",
) -> Twin:
    """Makes a twin; each edit is (kind, old, new) and concerns all places of the old words."""
    details = metadata or {}
    made = []
    for number, (kind, old, new) in enumerate(edits):
        places = [
            Replacement(document, at, at + len(old), old, new)
            for document, text in texts.items()
            for at in range(len(text) - len(old) + 1)
            if text.startswith(old, at)
        ]
        assert places, old
        made.append(Edit(id=f"{kind}-{number}", kind=kind, real=old, fictive=new or None, replacements=places))
    changed = dict(texts)
    for each in sorted((each for edit in made for each in edit.replacements), key=lambda each: -each.start):
        text = changed[each.document]
        changed[each.document] = text[: each.start] + each.new + text[each.end :]
    return Twin(
        id=id_,
        seed=0,
        real=Corpus([Document(name, text, dict(details.get(name, {}))) for name, text in texts.items()]),
        fictive=Corpus([Document(name, text, {**details.get(name, {}), TAG: id_}) for name, text in changed.items()]),
        edits=made,
    )


def small() -> Twin:
    return twin_of({"ferry.md": FERRY, "museum.html": MUSEUM}, EDITS)
