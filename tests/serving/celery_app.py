"""The same app behind Celery: a folder is the broker, and workers are forked from the process that loaded it."""

import os
from pathlib import Path

from celery import Celery
from prefork_app import answered

FOLDER = Path(os.environ["TRAIL_QUEUE"])
for name in ("messages", "control", "results"):
    (FOLDER / name).mkdir(exist_ok=True)
app = Celery("prefork", broker="filesystem://", backend=f"file://{FOLDER / 'results'}")
app.conf.broker_transport_options = {
    "data_folder_in": str(FOLDER / "messages"),
    "data_folder_out": str(FOLDER / "messages"),
    "control_folder": str(FOLDER / "control"),
}
app.conf.worker_prefetch_multiplier = 1


@app.task
def ask(number):
    """One request."""
    return answered(number)
