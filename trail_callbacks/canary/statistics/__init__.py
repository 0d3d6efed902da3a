"""What a run shows: shares with intervals, strategies and runs against each other."""
