"""A trained model frozen into one graph, from the raw text to the answer."""
