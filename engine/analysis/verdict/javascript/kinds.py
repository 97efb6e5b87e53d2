"""Kinds of values, as sets of bits: what a value *may* be. More bits are always the safer answer.

What matters is `Function`, which makes code from text, and the prototypes of the language: `x[k]` with a key
that is not known reaches what `x` inherits (`constructor`, `__proto__`), and from there both.
"""

from __future__ import annotations

NUMBER = 1
"""A number, bigint, boolean, null or undefined: as a key, its text names nothing that is inherited."""
TEXT = 2
"""A string or a symbol."""
PLAIN = 4
"""An object of the program, which inherits from `Object.prototype`."""
ARRAY = 8
"""An array, or any other object that a listed function makes: a map, a date, an error."""
FUNCTION = 16
"""A function of the program."""
LISTED = 32
"""A listed function of the language as a value."""
ANYTHING = 64
"""What an unknown key reaches, possibly `Function`: never stored or called; nothing is taken from it."""

DATA = NUMBER | TEXT | PLAIN | ARRAY
CALLABLE = FUNCTION | LISTED
"""What may be a function, and must not become the prototype of an object."""
SHARED = LISTED | ANYTHING
"""What may belong to the language, and must not be changed."""
