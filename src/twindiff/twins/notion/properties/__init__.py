"""Properties: schemas, types, values, and values computed by formulas and rollups."""
