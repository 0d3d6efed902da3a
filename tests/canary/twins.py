"""Small twins made by hand."""

from trail_callbacks.canary import TAG, Corpus, Document, Edit, Replacement, Twin
from trail_callbacks.canary.twin import applied

TEXT = "The ferry to Skogholm takes 40 minutes. The museum is open on Sundays. Anna Berg opened it in 1932."


def change(text, old, new, *, document="a", real=None, fictive=None, kind="number", id_="", size="small", **more):
    """An edit of all places of one document that have certain words."""
    places, at = [], text.find(old)
    while at >= 0:
        places.append(Replacement(document, at, at + len(old), old, new))
        at = text.find(old, at + len(old))
    return Edit(
        id=id_ or f"{kind}-1",
        kind=kind,
        size=size if kind in {"number", "date", "name"} else None,
        real=old if real is None else real,
        fictive=new if fictive is None else fictive,
        replacements=tuple(places),
        **more,
    )


def twin_of(texts, *edits, id_="t1", metadata=None):
    """The twin that edits make of texts by id."""
    real = Corpus(tuple(Document(key, text, dict(metadata or {})) for key, text in texts.items()))
    made = []
    for each in real:
        places = [one for edit in edits for one in edit.replacements if one.document == each.id]
        made.append(Document(each.id, applied(each.text, places)[0], {**each.metadata, TAG: id_}))
    return Twin(id_, 0, real, Corpus(tuple(made)), tuple(edits))
