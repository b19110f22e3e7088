"""A model of the registers that a board's own image touches, around Unicorn's core."""
