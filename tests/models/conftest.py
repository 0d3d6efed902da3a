import asyncio
import sys
from pathlib import Path

import pytest

from trail_callbacks.models.drive import adrive, drive

sys.path.insert(0, str(Path(__file__).parent))  # for echoes.py


async def _in_a_loop(*args):
    return drive(*args)


DRIVERS = {
    "drive": drive,
    "adrive": lambda *args: asyncio.run(adrive(*args)),
    "drive inside a running loop": lambda *args: asyncio.run(_in_a_loop(*args)),
}


@pytest.fixture(params=DRIVERS.values(), ids=DRIVERS)
def run(request):
    """Drives a pipeline: a model and limits may follow it."""
    return request.param
