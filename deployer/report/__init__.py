"""A static site of results: runs, trends, layers, memory, Pareto plots, differences."""

from deployer.report.build import build_site

__all__ = ["build_site"]
