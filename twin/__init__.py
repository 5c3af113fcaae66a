"""An interactive digital twin of a GPU data centre."""
