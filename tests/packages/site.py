"""`python -m tests.packages.site FOLDER`: build the documentation as a site, without a network.

The pages are those of docs/, the README, the changelog, and the reference of the HTTP API.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from tests.packages.api_reference import reference
from tests.packages.light_client import ROOT

CONFIGURATION = {
    "site_name": "Pratique",
    "strict": True,
    "use_directory_urls": False,
    "theme": {"name": "material", "font": False, "features": ["navigation.top", "content.code.copy"]},
    "plugins": ["search"],
    "markdown_extensions": ["admonition", "attr_list", "tables", "toc", "pymdownx.superfences"],
    "validation": {
        "omitted_files": "ignore",
        "absolute_links": "warn",
        "unrecognized_links": "warn",
        "anchors": "warn",
    },
}
OUTSIDE = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}
"""Pages beside docs/, with their names in the site."""


def write_pages(folder: Path) -> None:
    """Write the pages of the site, as Markdown whose links stay within it."""
    shutil.copytree(ROOT / "docs", folder)
    shutil.copytree(ROOT / "screenshots", folder / "screenshots")
    for name, target in OUTSIDE.items():
        text = (ROOT / name).read_text()
        (folder / target).write_text(re.sub(r"\]\(docs/", "](", text).replace("](README.md", "](index.md"))
    for page in folder.rglob("*.md"):
        page.write_text(_inside(page.read_text()))
    (folder / "api-reference.md").write_text(reference())


def _inside(text: str) -> str:
    """Return a page in which a link out of docs/ leads to the page in the site, or is plain text."""
    text = text.replace("](../README.md", "](index.md").replace("](../screenshots/", "](screenshots/")
    return re.sub(r"\[([^\]]*)\]\(\.\./[^)]*\)", r"\1", text)


def build_site(folder: Path) -> str:
    """Build the site into a folder, and return what the builder said.

    Raises:
        subprocess.CalledProcessError: a link leads nowhere, or a page cannot be built.
    """
    with tempfile.TemporaryDirectory(prefix="pratique-site-") as work:
        write_pages(Path(work) / "docs")
        (Path(work) / "mkdocs.yml").write_text(yaml.safe_dump(CONFIGURATION))
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder.resolve())]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return done.stderr


if __name__ == "__main__":
    try:
        build_site(Path(sys.argv[1]))
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.stderr)
