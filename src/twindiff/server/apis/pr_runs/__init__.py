"""Pull request runs: test a branch against its base, with the saved tests that its changed files select."""
