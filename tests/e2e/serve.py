"""The model server as a process of its own: prints its address, and ends when its standard input is closed.

In the tests' own process it would have to be taken down by its destructor, which waits for ever for a request that its
client gave up.
"""

import os
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 2 * 4096  # the total, split over the slots
params.n_parallel = 2
params.n_predict = 256  # ends runaway answers
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # its workers busy-wait: more are slower
params.sampling.temp = 0  # a sampled answer is now and then blanks alone until its limit
params.use_jinja = True
params.warmup = False
params.cache_ram_mib = 0
params.verbosity = 0
server = xllamacpp.Server(params)
print(f"address {server.listening_address}", flush=True)
sys.stdin.read()
os._exit(0)  # without the destructor, see above
