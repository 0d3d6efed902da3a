"""Drivers: they carry out the calls a pipeline yields, on threads or with asyncio, within limits.

A pipeline is written once; `drive` and `adrive` are the only places that know whether the world is synchronous.
Neither touches an event loop that is already running, so both work inside notebooks and servers.
"""
