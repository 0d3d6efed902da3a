"""A language model as judge.

Start with `judge.LLMJudge`, which makes model calls from the templates in `prompts` and turns the replies into claims
and judgements; every id that a model names is checked here. How calls are sent, retried and paid for is in `models`.
"""
