"""Files, uploads and thumbnails."""
