"""The names of one block or function, and the scopes around it."""

from __future__ import annotations

from engine.analysis.verdict.javascript.tree import Variable


class LexicalScope:
    """The names of one block, or of the parameters or the body of one function."""

    __slots__ = ("certain", "function", "names", "parameters", "parent")

    def __init__(
        self, parent: LexicalScope | None, *, function: bool = False, parameters: bool = False
    ) -> None:
        self.parent = parent
        self.parameters = parameters
        self.function = function
        self.names: dict[str, Variable] = {}
        self.certain: set[str] = set()
        """The names that are here whether or not functions in blocks are declared outside of these, too."""

    def declare(self, name: str) -> Variable:
        """Return the variable of this name in this scope, new or not."""
        self.certain.add(name)
        return self.names.setdefault(name, Variable(name))

    def declare_var(self, name: str) -> Variable:
        """Return the variable that `var` declares here: of the function, and a parameter if there is one."""
        return self._home().declare_inside(name, certain=True)

    def declare_function(self, name: str) -> Variable:
        """Return the variable of a declared function: of a block, and perhaps of the function around it."""
        variable = self._home().declare_inside(name, certain=self.function)
        self.names.setdefault(name, variable)
        self.certain.add(name)
        return variable

    def _home(self) -> LexicalScope:
        home = self
        while not home.function and home.parent is not None:
            home = home.parent
        return home

    def declare_inside(self, name: str, *, certain: bool) -> Variable:
        """Return the variable of this name in the body of this function, new or not."""
        home = self
        if home.parent is not None and name in home.parent.names and name not in home.names:
            home.names[name] = home.parent.names[name] if home.parent.parameters else Variable(name)
            certain |= home.parent.parameters
        if certain:
            return home.declare(name)
        return home.names.setdefault(name, Variable(name))

    def find(self, name: str) -> Variable | None:
        """Return the variable that a name refers to here."""
        scope = self.owner(name)
        return scope.names[name] if scope is not None else None

    def owner(self, name: str) -> LexicalScope | None:
        """Return the scope whose variable a name refers to here."""
        scope: LexicalScope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope
