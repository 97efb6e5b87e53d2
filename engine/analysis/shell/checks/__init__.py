"""What finds each rule of shell, one module for each theme."""
