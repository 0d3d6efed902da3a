import socket
import subprocess
import sys

import pytest


def test_a_connection_is_refused():
    with socket.socket() as client, pytest.raises(RuntimeError, match="tried to reach"):
        client.connect(("127.0.0.1", 9))


def test_a_name_is_not_resolved():
    with pytest.raises(RuntimeError, match="tried to reach"):
        socket.getaddrinfo("example.org", 443)


@pytest.mark.loopback
def test_a_marked_test_reaches_this_machine_and_nothing_else():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as client:
        client.connect(server.getsockname())
    with socket.socket() as client, pytest.raises(RuntimeError, match="tried to reach"):
        client.connect(("192.0.2.1", 80))


def test_importing_opens_no_socket_and_loads_nothing_heavy():
    code = """
import socket, sys
def refuse(*args, **kwargs): raise RuntimeError("a socket at import")
socket.socket.connect = socket.getaddrinfo = refuse
import trail_callbacks
heavy = {"numpy", "rich", "typer", "openai", "instructor", "langchain_core", "llama_index", "sklearn"}
print(sorted(heavy & set(sys.modules)))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
