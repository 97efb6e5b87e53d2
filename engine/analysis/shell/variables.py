"""Variables whose value other programs run as a command."""

from __future__ import annotations

import re

_COMMANDS = frozenset({
    "PAGER", "MANPAGER", "GIT_PAGER", "SYSTEMD_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "SUDO_EDITOR",
    "GIT_SEQUENCE_EDITOR", "KUBE_EDITOR", "SYSTEMD_EDITOR", "SVN_EDITOR", "HGEDITOR", "FCEDIT", "BROWSER",
    "MANROFFOPT", "LESSOPEN", "LESSCLOSE", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS",
    "SSH_ASKPASS", "SUDO_ASKPASS", "GIT_PROXY_COMMAND", "RSYNC_RSH", "CVS_RSH", "SVN_SSH", "PSQL_PAGER",
    "PSQL_EDITOR", "DELTA_PAGER", "BAT_PAGER",
})  # fmt: skip
_PROMPTS = frozenset({"PS0", "PS1", "PS2", "PS4"})
_ORDINARY = frozenset({
    "less", "more", "most", "cat", "bat", "batcat", "delta", "diff-so-fancy", "lesspipe", "lesspipe.sh",
    "pygmentize", "vim", "vi", "nvim", "view", "nano", "emacs", "emacsclient", "code", "subl", "kate",
    "gedit", "micro", "joe", "hx", "helix", "pico", "mate", "kak", "ssh", "ksshaskpass", "ssh-askpass",
    "gcr-ssh-askpass", "firefox", "chromium", "google-chrome", "w3m", "lynx", "links", "open", "xdg-open",
    "true", "false", ":", "echo", "gzip", "pigz", "bzip2", "pbzip2", "xz", "zstd", "lz4", "lzop", "col",
    "notepad", "wslview", "difft", "meld", "unzip", "nvimpager", "ov", "moar", "src-hilite-lesspipe.sh",
    "git-lfs", "gpg", "gpg2", "ssh-keygen", "cache", "store", "osxkeychain", "manager", "sudo", "nvr",
})  # fmt: skip
_SEPARATORS = re.compile(r"[;&`<>\n]|\|\||\$\(|(?<=.)\|")
_SUBSTITUTION = re.compile(r"\$\((.*)\)|`([^`]*)`", re.DOTALL)


def runs(name: str, value: str) -> str:
    """Return the command in the value of a variable that some program will run, or nothing."""
    if name == "BROWSER" and ":" in value and " " not in value:
        return ""
    if name in _COMMANDS:
        return value.strip().lstrip("|-").strip()
    if name in _PROMPTS:
        match = _SUBSTITUTION.search(value)
        return (match[1] or match[2] or "") if match else ""
    return ""


def is_ordinary(command: str) -> bool:
    """Return whether a command is a pager, editor or the like, and nothing more."""
    words = command.split()
    return not words or (words[0].rsplit("/", 1)[-1] in _ORDINARY and not _SEPARATORS.search(command))
