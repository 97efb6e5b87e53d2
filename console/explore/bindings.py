"""The keys of the Explore screen, and its help."""

from __future__ import annotations

from textual.binding import Binding, BindingType

HELP_WORDS = (
    "Write Python, JavaScript or shell; the analysis runs as you type and marks violations. ctrl+r runs "
    "the code and prints below. What is grave, or asks for a permission, is shown once more: ctrl+y runs "
    "it. In a team, a reviewer decides; alt+r submits for a reviewer anywhere. ctrl+f finds and replaces, "
    "alt+g goes to a line. Lines that begin with `# %%` divide the code into cells: F5 runs one, F6 shows "
    "all. ctrl+o opens a notebook, or a file and follows it: save it in your own editor, and it is "
    "analysed again, and run again after ctrl+s. ctrl+b opens a session: what one run defines, "
    "the next one can use. Esc leaves the editor, so that the number keys work. With `vim: true` in "
    "console.yaml the editor has vim's modes: i a I A o O insert, Esc ends that; "
    "h j k l w b e 0 ^ $ gg G move, x dd yy p P u change, numbers count."
)

BINDINGS: list[BindingType] = [
    Binding("ctrl+r", "submit", "Run", id="explore.submit", priority=True,
            tooltip="Run the code in a fresh sandbox"),
    Binding("escape", "leave", "Leave", id="explore.leave",
            tooltip="Leave the editor, so that plain keys such as 1 to 5 work"),
    Binding("enter,e", "edit", "Edit", id="explore.edit", tooltip="Go back to the editor"),
    Binding("ctrl+l", "language", "Language", id="explore.language", priority=True,
            tooltip="Switch between Python, JavaScript and shell"),
    Binding("ctrl+p", "purpose", "Purpose", id="explore.purpose", priority=True,
            tooltip="Write the purpose for the reviewer"),
    Binding("ctrl+n", "permissions", "Permissions", id="explore.permissions", priority=True,
            tooltip="Request domains, packages, secrets, files, limits, an image; check the output"),
    Binding("ctrl+o", "open", "Open", id="explore.open", priority=True,
            tooltip="Open a file and follow it"),
    Binding("ctrl+s", "run_on_save", "Run on save", id="explore.run-on-save", priority=True,
            tooltip="Submit the followed file whenever it is saved, or no longer"),
    Binding("ctrl+s", "save_back", "Save", id="explore.save-back", priority=True,
            tooltip="Save this file in the sandbox that it came from"),
    Binding("alt+w", "workspace", "Workspace", id="explore.workspace", priority=True, show=False,
            tooltip="Show the files in the sandbox: open, edit, save them"),
    Binding("alt+a", "attach", "Attach", id="explore.attach", priority=True, show=False,
            tooltip="Attach a file of this machine; dragging it here does the same"),
    Binding("ctrl+e", "unfollow", "Edit here", id="explore.unfollow", priority=True,
            tooltip="Stop following the file and edit its text here"),
    Binding("ctrl+b", "session", "Session", id="explore.session", priority=True,
            tooltip="Keep state between runs in a session, or close the session"),
    Binding("alt+r", "review", "Review", id="explore.review", priority=True, show=False,
            tooltip="Submit the code for a reviewer, with its purpose"),
    Binding("f8", "error", "Error", id="explore.error", priority=True, key_display="F8",
            tooltip="Go to the line that failed, and on to its callers"),
    Binding("alt+d", "explain", "Explain", id="explore.explain", priority=True, show=False,
            tooltip="Show signature and documentation of the name at the cursor"),
    Binding("ctrl+underscore,ctrl+slash", "comment", "Comment", id="explore.comment", priority=True,
            key_display="ctrl+/", show=False, tooltip="Make the selected lines comments, or code again"),
    Binding("f5", "cells(True)", "Run cell", id="explore.run-cell", priority=True, key_display="F5",
            show=False, tooltip="Run the cell at the cursor in a session; cells begin with `# %%`"),
    Binding("f6", "cells(False)", "Cells", id="explore.cells", priority=True, key_display="F6",
            show=False, tooltip="Show the cells with their outputs"),
    Binding("ctrl+f", "find(False)", "Find", id="explore.find", priority=True,
            tooltip="Find and replace in the code"),
    Binding("alt+p", "preview", "Preview", id="explore.preview", priority=True,
            tooltip="Show the server of the run or session in your browser: copies a link that works once"),
    Binding("alt+g", "find(True)", "Line", id="explore.line", priority=True, show=False,
            tooltip="Go to a line by its number"),
    Binding("ctrl+right_square_bracket", "bracket", "Bracket", id="explore.bracket", priority=True,
            key_display="ctrl+]", show=False, tooltip="Go to the bracket that belongs to this one"),
    Binding("f9", "artifacts", "Artifacts", id="explore.artifacts", priority=True, key_display="F9",
            tooltip="Show the run's artifacts: pictures, tables, files"),
    Binding("f2", "tab_new", "New tab", id="explore.tab-new", priority=True, key_display="F2", show=False,
            tooltip="Write something else in a tab of its own"),
    Binding("f3,ctrl+pagedown", "tab(1)", "Next tab", id="explore.tab-next", priority=True, show=False,
            key_display="F3", tooltip="Show the next tab"),
    Binding("ctrl+pageup", "tab(-1)", "Previous tab", id="explore.tab-previous", priority=True, show=False,
            tooltip="Show the previous tab"),
    Binding("f4", "tab_close", "Close tab", id="explore.tab-close", priority=True, key_display="F4",
            show=False, tooltip="Close the tab; its text stays among the snippets"),
    Binding("ctrl+t", "snippets", "Snippets", id="explore.snippets", priority=True,
            tooltip="Open code that was in the editor before"),
]  # fmt: skip
