"""Files, folders, web links, uploads, downloads and the trash."""
