"""Code that all parts of Box share: access, errors, contents and versions."""
