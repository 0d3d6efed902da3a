"""Reading files of users: what they are packed with, and the records in them, one after the other, with their places.

`opening` turns a file or standard input into a stream of its text; `objects` reads JSON of any layout, `records` that,
CSV and Parquet. What a record means is known to the rooms above.
"""

from trail_callbacks.reading.objects import LARGEST, Broken, Record, json_objects
from trail_callbacks.reading.opening import is_database, opened
from trail_callbacks.reading.records import arrow, files_in, records

__all__ = ["LARGEST", "Broken", "Record", "arrow", "files_in", "is_database", "json_objects", "opened", "records"]
