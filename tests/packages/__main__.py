"""`python -m tests.packages`: build the wheels and sdists of the application and of the light client.

The man page and the completions of shells are written beside them, for those who package the application.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.packages import manual
from tests.packages.build import build_application, build_light_client
from tests.packages.light_client import ROOT


def main(folder: Path = ROOT / "dist") -> None:
    """Build all of them into a folder, and print their names."""
    for path in (*build_application(folder), *build_light_client(folder)):
        sys.stdout.write(f"{path}\n")
    manual.write(folder / "share")


if __name__ == "__main__":
    main()
