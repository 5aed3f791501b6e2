"""Identity: verification of people by their documents."""
