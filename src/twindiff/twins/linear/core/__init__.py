"""Code that all parts of the Linear twin share."""
