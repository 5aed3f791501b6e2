"""What every part of Box uses: access, errors, contents and versions."""
