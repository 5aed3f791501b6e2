"""Users, agents, file uploads, OAuth."""
