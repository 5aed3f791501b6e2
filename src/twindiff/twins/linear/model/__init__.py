"""Linear's types, declared in the notation of `twindiff.kit.graphql`, split along the vendor's documentation."""
