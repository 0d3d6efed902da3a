"""Export: reports for other programs, as W3C PROV-JSON, Mermaid, GraphML or CSV.

One module for each format, each with one function from a `Report` to text; start with any of them. What a person reads
is in `render`; the report's own JSON is in `report`.
"""

from trail_callbacks.export.claims_csv import to_csv
from trail_callbacks.export.graphml import to_graphml, to_networkx
from trail_callbacks.export.mermaid import to_mermaid
from trail_callbacks.export.prov_json import to_prov_json

__all__ = ["to_csv", "to_graphml", "to_mermaid", "to_networkx", "to_prov_json"]
