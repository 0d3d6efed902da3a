"""A server on loopback that keeps what clients send it."""

import contextlib
import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """What was asked of it, as `(method, path, body)`; it answers with what `replies` has for a path, else with {}."""

    def __init__(self):
        self.asked, self.replies, asked, replies = [], {}, None, None
        asked, replies = self.asked, self.replies

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                size = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(size)
                if self.headers.get("Transfer-Encoding") == "chunked":
                    while line := int(self.rfile.readline(), 16):
                        body += self.rfile.read(line)
                        self.rfile.readline()
                    self.rfile.readline()
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                with contextlib.suppress(ValueError):
                    body = json.loads(body) if body else None
                path = self.path.split("?")[0]
                asked.append((self.command, path, body))
                data = json.dumps(replies.get(path, {})).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_PUT = do_PATCH = do_GET  # noqa: N815 - the names of http.server

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def bodies(self, path):
        return [body for _, asked, body in self.asked if asked == path]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
