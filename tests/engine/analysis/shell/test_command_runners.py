"""Commands passed to other programs are found and analysed."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Language

_HANDED = (
    "PAGER='{}' git log",
    "export GIT_SSH_COMMAND='{}; ssh'",
    "env EDITOR='{}' crontab -e",
    "PS4='$({})' bash -x a",
    "LESSOPEN='|{}' less a",
    "git -c core.pager='{}' log",
    "git -c core.sshCommand='{}' fetch",
    "git config --global alias.x '!{}'",
    "git rebase --exec '{}' main",
    "git bisect run {}",
    "man -P '{}' ls",
    "tar cf a.tar -I '{}' b",
    "tar xf a.tar --to-command='{}'",
    "rsync -e '{}' a b",
    "ssh -o ProxyCommand='{}' h",
    "scp -o LocalCommand='{}' a h:",
    "zip a.zip b -T -TT '{}'",
    "split --filter='{}' a",
    "sort --compress-program='{}' a",
    "script -q -c '{}' /dev/null",
    "watch '{}'",
    "env -S '{}'",
    "make -f - <<< $'x:\\n\\t@{}'",
    "make --eval=$'x:\\n\\t{}'",
    "sed '1e {}' a",
    "ed <<< '!{}'",
    "gdb -batch -ex 'shell {}'",
    "vim -c ':!{}'",
    "vim -c ':py3 import os; os.system(\"{}\")'",
    "psql -c '\\! {}'",
    "tmux new-session -d '{}'",
    "complete -C '{}' ls",
    "bind -x '\"\\C-l\": {}'",
    "echo '{}' | at now",
    "gcc -wrapper '{}' a.c",
    "$0 -c '{}'",
    "xargs -a /dev/null sh -c '{}'",
    "echo '{}' | xargs -I{{}} sh -c '{{}}'",
)


@pytest.mark.parametrize("way", _HANDED)
def test_a_command_passed_to_a_program_is_analysed(way: str) -> None:
    """Deleting the home folder is found, whichever program runs it."""
    found = analyse(way.format("rm -rf ~"), Language.SHELL).violations
    assert {"sh-rm-tree"} & {violation.rule for violation in found}, way


@pytest.mark.parametrize(
    "way",
    [
        "env /bin/sh", "nice bash", "flock -u / /bin/sh", "script -q -c /bin/sh /dev/null", "capsh --",
        "git -c core.pager='sh' log", "man '-H/bin/sh #' man", "gcc -wrapper /bin/sh,-s .",
    ],
)  # fmt: skip
def test_a_shell_through_another_program_is_found(way: str) -> None:
    """An unneeded shell is reported as an escape."""
    assert "sh-shell-escape" in {violation.rule for violation in analyse(way, Language.SHELL).violations}


@pytest.mark.parametrize(
    "way",
    [
        "PAGER=less git log", "export EDITOR='code --wait'", "export VISUAL=vim", "GIT_PAGER= git diff",
        "git config --global core.editor 'nano -w'", "tar cf a.tar -I pigz b", "env bash a.sh",
        "export LESSOPEN='|/usr/bin/lesspipe %s'", "sed -e 's/x/y/g' a", "man -P cat ls",
        "export BROWSER=firefox",
        "export NODE_OPTIONS=--max-old-space-size=4096", "echo ${#TOKEN} ${TOKEN:+set} $MAX_TOKENS",
    ],
)  # fmt: skip
def test_ordinary_settings_stay_silent(way: str) -> None:
    """Pagers, editors and archivers are the usual values of these settings."""
    assert [] == [v.rule for v in analyse(way, Language.SHELL).violations if v.severity.rank > 0]
