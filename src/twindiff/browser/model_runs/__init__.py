"""Runs whose steps a language model proposes: they pass only if each statement of the prompt is accounted for."""
