"""Kinds of values, as sets of bits: what a value *may* be. More bits are always the safer answer.

What matters is how far a value is from `Function`, which makes code from text: `x[k]` with a key that is
not known reaches what `x` inherits (`constructor`, `__proto__`), and a second such step reaches `Function`.
"""

from __future__ import annotations

NUMBER = 1
"""A number, bigint, boolean, null or undefined: as a key, its text names nothing that is inherited."""
TEXT = 2
"""A string or a symbol."""
PLAIN = 4
"""An object of the program, which inherits from `Object.prototype` and from the program's own objects."""
ARRAY = 8
"""An array, or any other object that a listed function makes: a map, a date, an error."""
FUNCTION = 16
"""A function of the program."""
LISTED = 32
"""A listed function of the language as a value."""
INHERITED = 64
"""What an unknown key of a plain object reaches, such as `Object`, its prototype and methods: not called."""
NATIVE = 128
"""What an unknown key of any other value reaches, such as `Array.prototype`, and methods: not called."""
ANYTHING = 256
"""Possibly `Function` itself: never stored, and nothing is taken from it."""

DATA = NUMBER | TEXT | PLAIN | ARRAY
UNCALLED = INHERITED | NATIVE | ANYTHING
"""What may be a function of the language that is on no list."""
CALLABLE = FUNCTION | LISTED | INHERITED | NATIVE
"""What may be a function, and must not become the prototype of an object."""
SHARED = LISTED | UNCALLED
"""What may belong to the language, and must not be changed."""
