"""One module per command, or per group of subcommands."""
