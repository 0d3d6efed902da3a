import sys
from pathlib import Path

HERE = Path(__file__).parent
# For fragment_reader.py and one_claim.py, and page/page_reader.py and page/page_reports.py.
sys.path[:0] = [str(HERE), str(HERE / "page")]
