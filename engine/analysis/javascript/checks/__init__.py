"""What finds each rule of JavaScript, one module for each theme."""
