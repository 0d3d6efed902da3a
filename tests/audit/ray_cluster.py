"""A Ray cluster of two logical processors on loopback; prints its address, ends with its standard input."""

import os
import sys

import ray

if __name__ == "__main__":
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    found = ray.init(
        address="local",
        num_cpus=2,
        object_store_memory=100 * 2**20,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        _node_ip_address="127.0.0.1",
        _temp_dir=sys.argv[1],
    )
    print("address", found.address_info["gcs_address"], flush=True)
    sys.stdin.read()
