"""The cache folder of a verification: what its model answered earlier is not paid for again."""

from __future__ import annotations

from dataclasses import replace

from trail_callbacks.judges.judge import Judge
from trail_callbacks.models.cache import CallCache, shared
from trail_callbacks.models.call import Pipeline, Usage
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["answered", "cached", "call_cache"]


def call_cache(judge: Judge, options: VerifyOptions) -> CallCache | None:
    """Returns what answers a judge's calls from the cache folder of some options; None if there is nothing to answer.

    Raises:
        InputError: If the folder cannot be used.
    """
    if options.cache is None or judge.model is None:
        return None
    return CallCache(judge.model, shared(options.cache))


def cached(work: Pipeline[Report], judge: Judge, options: VerifyOptions) -> Pipeline[Report]:
    """The same verification, which makes only calls that the cache folder has no answer to."""
    cache = call_cache(judge, options)
    return (yield from work) if cache is None else (yield from answered(work, cache))


def answered(work: Pipeline[Report], cache: CallCache) -> Pipeline[Report]:
    """As `cached`, with a cache that is there already."""
    report = yield from cache.answering(work)
    return replace(report, usage=Usage(cache_hits=cache.hits), warnings=report.warnings + cache.warnings)
