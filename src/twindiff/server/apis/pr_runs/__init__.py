"""Pull request runs: a branch against its base, by the saved tests that its changed files choose."""
