"""What `trail demo` runs: three small apps over three documents, with recorded model replies unless a model is given.

Start with `runner`. `chat` replays the completions in `recorded.json` or calls an endpoint; `documents` are the
sources. The apps themselves live with the adapters, which import `chat` and `documents`; printing is in `cli.demo`.
"""
