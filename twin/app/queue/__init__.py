"""The queue, its Gantt chart, and tenants."""
