"""Meters: one file each, imported when it is named."""
