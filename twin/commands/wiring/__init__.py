"""Network, power and cooling connected by hand or by rule."""
