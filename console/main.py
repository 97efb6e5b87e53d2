"""The program: without a command, the console; with one, the command line."""

from __future__ import annotations

import os
import sys

COMPLETING = "_PRATIQUE_COMPLETE"
"""Set by a shell that asks for completions."""


def main() -> int:
    """Run the program and return its exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--plain"]:
        from console.plain import main  # noqa: PLC0415

        return main.main()
    if arguments[:1] in (["kill"], ["stop"]) and COMPLETING not in os.environ:
        from engine.client.brake import brake  # noqa: PLC0415

        if brake(arguments):
            return 0
    if arguments[:2] == ["hook", "run"] and COMPLETING not in os.environ:
        from engine.hooks.quick import quick_hook  # noqa: PLC0415

        if (code := quick_hook(arguments[2:])) is not None:
            return code
    if (arguments or COMPLETING in os.environ) and arguments != ["--served"]:
        from engine import cli  # noqa: PLC0415  the console loads without the commands

        cli.COMMANDS["web"] = "console.web.command:web"
        return cli.main(arguments)
    return _console(served=bool(arguments))


def _console(*, served: bool) -> int:
    """Open the console in this terminal, or as a process of `pratique web`, which acts as the terminal."""
    if not served and not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stderr.write("pratique: the console needs a terminal. Type: pratique --help\n")
        return 2
    from console.app.app import ConsoleApp  # noqa: PLC0415  commands load without the console

    app = ConsoleApp(opened=settle_memory)
    app.run()
    return app.return_code or 0


def settle_memory() -> None:
    """Exclude what was loaded from garbage collection: a full collection of it would block the screen.

    While keys are pressed only what is newest is collected, in a few milliseconds; all of it in idle moments.
    """
    import gc  # noqa: PLC0415

    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 1_000, 20)


if __name__ == "__main__":
    sys.exit(main())
