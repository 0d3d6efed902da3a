"""What `trail demo` shows: a recorded run over three documents, and small apps with recorded replies of a model.

Start with `runner`. `chat` replays the completions in `recorded.json`; `documents` are the sources. The apps themselves
live with the adapters, which import `chat` and `documents`; printing is in `cli.demo`.
"""
