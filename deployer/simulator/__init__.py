"""Machines of ours that run images where no other emulator does."""
