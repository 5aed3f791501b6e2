"""What every part of Linear uses."""
