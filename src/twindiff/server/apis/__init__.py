"""The APIs of the server itself: platform, sandboxes, twin, test, sandbox and pull request runs, and the inspector."""
