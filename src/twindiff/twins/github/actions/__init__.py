"""Actions: workflows, runs, jobs, artifacts of the GitHub twin."""
