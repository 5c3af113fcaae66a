"""Planning a job: form, memory, roofline, pipeline."""
