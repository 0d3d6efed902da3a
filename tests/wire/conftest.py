"""Endpoints on loopback that speak real HTTP and answer as told."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for endpoint.py


@pytest.fixture
def endpoints():
    """Starts endpoints, and closes them after the test."""
    from endpoint import Endpoint

    started = []

    def start(*answers):
        started.append(Endpoint(*answers))
        return started[-1]

    yield start
    for endpoint in started:
        endpoint.close()
