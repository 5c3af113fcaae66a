"""The open scene, its run, what is on screen, and the editor; no widgets."""
