"""The rules of Python that several modules report, by theme.

To add a rule, declare it with `python_rule(...)` in the module that reports it, such as a sink. Declare it
here where several modules report it, because code has several ways to the same effect. A new module that
declares rules is added to `engine.analysis.python.catalogue`.
"""
