"""Bars that the project is held to, measured on trained networks."""
