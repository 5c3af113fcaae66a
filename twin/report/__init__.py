"""Reports: a run, or two beside each other, in one HTML file that needs nothing else; pictures; film."""
