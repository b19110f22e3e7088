"""What commands carry out. Imported when a command runs, so that help answers at once."""
