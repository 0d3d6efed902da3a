"""`python -m trail_callbacks.cli` is `trail`."""

import sys

from trail_callbacks.cli import main

sys.exit(main())
