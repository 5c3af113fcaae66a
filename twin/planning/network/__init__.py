"""What the fabrics of a scene give a job, and what growth does to them."""
