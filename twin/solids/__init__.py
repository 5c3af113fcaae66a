"""A site as solids in files that other 3D programs open: glTF and OpenUSD."""
