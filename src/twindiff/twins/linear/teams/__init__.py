"""Teams, cycles and workflow states."""
