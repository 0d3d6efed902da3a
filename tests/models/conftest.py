import asyncio
import sys
from pathlib import Path

import pytest

from trail_callbacks.models.drive import adrive, drive

sys.path.insert(0, str(Path(__file__).parent))  # for echoes.py


async def _in_a_loop(*args, **more):
    return drive(*args, **more)


DRIVERS = {
    "drive": drive,
    "adrive": lambda *args, **more: asyncio.run(adrive(*args, **more)),
    "drive inside a running loop": lambda *args, **more: asyncio.run(_in_a_loop(*args, **more)),
}


@pytest.fixture(params=DRIVERS.values(), ids=DRIVERS)
def run(request):
    """Drives a pipeline: a model and limits may follow it."""
    return request.param
