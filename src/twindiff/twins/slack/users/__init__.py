"""Users, profiles, presence and reminders."""
