"""A plug-in for labgrid: a loader by pyOCD, a meter, and what holds a place for deployer.

It runs in labgrid's own environment, whose serial library replaces pyserial, and imports nothing of
deployer (docs/labgrid.md). Importing the package alone imports nothing of labgrid either.
"""
