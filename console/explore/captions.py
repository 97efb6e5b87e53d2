"""What stands in the border of the editor: what it holds, and what is requested."""

from __future__ import annotations

from console.explore.editor import Editor
from console.explore.followed_file import FollowedFile
from console.safety.text import content
from engine.common.text import Untrusted, many


def caption(editor: Editor, file: FollowedFile, session: str, requests: int) -> None:
    """Write language, file and mode above the editor, and below it the session and what runs the code."""
    name = f"  {file.path.name}" if file.path else ""
    mode = f"  {editor.mode}" if editor.mode else ""
    editor.border_title = content(editor.code_language.value, Untrusted(name), (mode, "bold accent"))
    asked = f"{many(requests, 'extra permission')}  " if requests else ""
    known = f"session {session}  " if session else ""
    editor.border_subtitle = content(asked + known + _how_to_run(file))


def _how_to_run(file: FollowedFile) -> str:
    if file.run_on_save:
        return "runs on save"
    return "following; save it in your editor" if file.path else "ctrl+r runs it"
