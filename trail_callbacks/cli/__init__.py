"""The command `trail`.

Start with `app`, which has the table of commands; each has a module, or shares it with one like it. `options` has what
several of them take, `inputs` reads texts, reports and traces, `runs` what was judged, `output` prints and writes. What
is printed about a report comes from `render`; commands only call what the library offers.

Exit status: 0 success; 1 over the threshold given with `--max-score`, a failed `trail doctor`, an alert that calls
somebody, a gate that what is new does not pass, a canary run that is not complete or leaks too much, or a bench or
audit that its budget ended; 2 wrong usage or bad input; 3 not enough data for a gate, or a judge that failed on a third
of a bench; 70 an internal error; 130 interrupted.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from trail_callbacks.errors import TrailError

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> int:  # noqa: PLR0911 - a status for each end
    """Runs the command line; every error becomes a message on standard error, never a traceback.

    Args:
        args: Arguments; None takes those of the process. `TRAIL_DEBUG=1` in the environment shows tracebacks.

    Returns:
        The exit status.
    """
    if list(sys.argv[1:] if args is None else args)[:1] == ["--version"]:  # before all that takes long to import
        sys.stdout.write(f"trail-callbacks {version('trail-callbacks')}\n")
        return 0
    from trail_callbacks.cli.app import app  # noqa: PLC0415 - importing `trail_callbacks` must not need typer
    from trail_callbacks.cli.output import complain, quiet  # noqa: PLC0415 - as above

    logging.getLogger("instructor").addHandler(logging.NullHandler())  # it prints tracebacks of errors that we report
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # escapes what the encoding cannot represent
    try:
        app(None if args is None else list(args), prog_name="trail")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except TrailError as error:
        complain(str(error))
        return 2
    except KeyboardInterrupt:
        complain("interrupted")
        return 130
    except BrokenPipeError:
        quiet()
        return 0
    except Exception as error:
        if os.environ.get("TRAIL_DEBUG"):
            raise
        complain(f"internal error, please report it: {type(error).__name__}: {error} (TRAIL_DEBUG=1 shows where)")
        return 70
    return 0
