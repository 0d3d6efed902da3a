"""From a framework's callbacks to a provenance graph: events, the recorder that keeps them, linking, building."""
