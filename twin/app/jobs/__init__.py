"""The list of jobs, the page of a job, and its what-if."""
