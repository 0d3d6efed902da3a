# ruff: noqa: INP001 - a command, not a package
"""Fetches the libraries that draw the graph in a report page, as `make vendor`; needs npm.

`vendored.json`, beside the files, lists package, version, the integrity that npm publishes for it, and the files to
take. To upgrade, change version and integrity there (`npm view NAME@VERSION dist.integrity`) and run this again, which
also records the checksum of each file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VENDOR = Path(__file__).parents[1] / "trail_callbacks" / "render" / "page" / "assets" / "vendor"


def main() -> None:
    """Fetches, checks and unpacks every library."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("vendor: npm is not installed")
    listed = VENDOR / "vendored.json"
    libraries = json.loads(listed.read_text("utf-8"))
    for name, library in libraries.items():
        with tempfile.TemporaryDirectory() as folder:
            wanted = f"{name}@{library['version']}"
            command = [npm, "pack", "--silent", "--pack-destination", folder, wanted]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - names from our own file
            (package,) = Path(folder).glob("*.tgz")
            found = "sha512-" + base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
            if found != library["integrity"]:
                sys.exit(f"vendor: {wanted} does not match vendored.json (its integrity is {found}): nothing written")
            with tarfile.open(package) as archive:
                for target, member in library["files"].items():
                    stored = archive.extractfile(member)
                    if stored is None:
                        sys.exit(f"vendor: {wanted} has no file {member}")
                    content = stored.read()
                    (VENDOR / target).write_bytes(content)
                    library.setdefault("sha256", {})[target] = hashlib.sha256(content).hexdigest()
        print(f"{wanted}: {', '.join(library['files'])}")  # noqa: T201 - the output of a command
    listed.write_text(json.dumps(libraries, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
