"""Takes the pictures of the README: `make screenshot`, or by itself

    python tests/browser/screenshot.py docs/report.png
    python tests/browser/screenshot.py docs/diagnosis.png --app diagnosis --width 1100 --height 620

The report is the one that `trail demo` gives, with one claim selected; `diagnosis` is a run whose reranker dropped the
passage with the answer.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import browsing
import reports

LARGEST = 300_000  # bytes


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("--app", default="langchain", choices=["langchain", "langgraph", "llama-index", "diagnosis"])
    parser.add_argument("--claim", help="which claim is selected; by default the first with an origin upstream")
    parser.add_argument("--width", type=int, default=1440)
    parser.add_argument("--height", type=int, default=1060)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--full", action="store_true", help="the whole page, and not just what a window shows")
    given = parser.parse_args()
    report = reports.diagnosed() if given.app == "diagnosis" else reports.demo(given.app)
    carried = (each.id for each in report.claims if report.verdict(each.id).carried_through)
    claim = given.claim or next(carried, "")
    size = {"width": given.width, "height": given.height}
    with browsing.started() as chromium, tempfile.TemporaryDirectory() as folder:
        theme = "dark" if given.dark else "light"
        with chromium.opened(
            report,
            Path(folder),
            fragment=f"#claim={claim}" if claim else "",
            viewport=size,
            color_scheme=theme,
            reduced_motion="reduce",
        ) as view:
            view.page.wait_for_timeout(500)  # the graph is drawn after the page is ready
            picture = view.page.screenshot(full_page=given.full)
    if len(picture) > LARGEST and not given.full:
        sys.exit(f"{given.target}: {len(picture):,} bytes, more than {LARGEST:,}: choose a smaller window")
    given.target.parent.mkdir(parents=True, exist_ok=True)
    given.target.write_bytes(picture)
    print(f"{given.target}: {len(picture):,} bytes, claim {claim}")


if __name__ == "__main__":
    main()
