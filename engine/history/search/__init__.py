"""The filter language, and the queries that it becomes."""
