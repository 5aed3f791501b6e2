"""Projects, milestones and initiatives."""
