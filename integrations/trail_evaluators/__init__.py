"""trail-callbacks in the tools that teams have: one module a tool, importable without it.

`send` writes a report to the trace it is about, through the client object that the app has: it holds no key, opens no
connection of its own, and the same report sent twice is there once. `evaluator` and `scorer`
make what the tool itself calls. `sending.py` is what all senders share, `cases.py` what all evaluators share.
"""
