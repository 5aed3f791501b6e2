"""Users, search, file uploads, OAuth."""
