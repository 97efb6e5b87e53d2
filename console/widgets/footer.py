"""The line of keys below: what works here, and at its right end, always, the way to all the others."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Footer
from textual.widgets._footer import FooterKey


class DeskFooter(Footer):
    """Textual's footer, with Help where it is never pushed out."""

    def compose(self) -> ComposeResult:
        """Lay out the keys, then Help."""
        yield from super().compose()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.id == "app.help":
                shown = self.app.get_key_display(binding)
                yield FooterKey(binding.key, shown, binding.description, binding.action,
                                classes="-command-palette", tooltip=binding.tooltip)  # fmt: skip
                return
