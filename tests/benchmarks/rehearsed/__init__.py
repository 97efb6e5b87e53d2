"""Programs for the benchmark of rehearsals."""
