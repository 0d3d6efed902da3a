"""Retrieval: splitting a source into passages (sentences, table rows, JSON fields) and ranking them for a claim.

Start with `passages.spans`; `tables` and `splitting.json_fields` find what is not prose, `ranking` scores passages by
shared words. `trail_callbacks.evidence` combines them. Whether a passage supports a claim is decided in `judges`.
"""
