"""A small server that speaks TF Serving's REST calls, its page and its client."""
