"""Network performance of jobs on the fabrics of a scene, and growth of fabrics."""
