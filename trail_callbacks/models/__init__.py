"""Language models behind one small protocol, and the drivers that carry out their calls."""
