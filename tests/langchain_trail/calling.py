"""One app, called in one of three ways."""

import asyncio

MODES = ["invoke", "stream", "async"]


def run(app, given, config, mode):
    """Calls an app, to its end."""
    if mode == "async":
        asyncio.run(app.ainvoke(given, config))
    elif mode == "stream":
        list(app.stream(given, config))
    else:
        app.invoke(given, config)
