"""Comments, tasks, hubs, sign requests and documents."""
