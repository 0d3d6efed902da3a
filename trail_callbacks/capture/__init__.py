"""Capture: from the events of a run to its provenance graph.

Start with `events` (what adapters report), then `recorder` (the only mutable object; adapters emit into it), then
`build` (events to graph). `link` decides which text reached which prompt, with the text comparison in `match`.
Nothing here imports a framework (adapters convert) or calls a judge (`verify` does).
"""
