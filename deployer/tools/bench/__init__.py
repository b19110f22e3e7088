"""Benchmarks: each module is one table, a part of one, or what several share."""
