"""One module per command, or per group of commands below one."""
