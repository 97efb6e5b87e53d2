"""Honest programs accuse nobody: what they do was predicted, or is what such programs do."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from engine.analysis import analyse
from engine.common.text import Untrusted
from engine.models import Analysis, Language, Permissions, Verdict
from engine.policy.effects.comparison import surprises
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-honest"

PYTHON = """
import collections, csv, datetime, decimal, glob, hashlib, json, logging, os, pathlib, platform, random, re
import shutil, socket, sqlite3, statistics, subprocess, sys, tempfile, threading, time, urllib.request, uuid
import zipfile
rows = list(csv.reader(open('sales.csv')))
json.dump(rows, open('out.json', 'w'))
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, 'x').write_text('1')
db = sqlite3.connect('db.sqlite'); db.execute('create table t (a)'); db.commit(); db.close()
with zipfile.ZipFile('a.zip', 'w') as archive: archive.write('out.json')
shutil.copy('out.json', 'copy.json'); os.rename('copy.json', 'copy2.json'); os.remove('copy2.json')
print(random.random(), uuid.uuid4(), os.getpid(), platform.platform(), datetime.datetime.now(), time.time())
print(glob.glob('*'), os.listdir('.'), shutil.disk_usage('.'), os.cpu_count(), sys.version)
logging.basicConfig(filename='run.log'); logging.warning('x')
thread = threading.Thread(target=print); thread.start(); thread.join()
try: urllib.request.urlopen('http://example.org')
except OSError as error: print(error)
print(subprocess.run(['ls', '-l'], capture_output=True).stdout)
print(hashlib.sha256(open('sales.csv', 'rb').read()).hexdigest(), socket.gethostname())
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool: print(list(pool.map(str, range(3))))
print(time.strftime('%Z'), decimal.Decimal(1) / 3, statistics.mean([1, 2]))
"""
JAVASCRIPT = """
const fs = require('node:fs'), os = require('node:os'), path = require('node:path');
const zlib = require('node:zlib'), crypto = require('node:crypto'), cp = require('node:child_process');
const rows = fs.readFileSync('sales.csv', 'utf8').split('\\n');
fs.writeFileSync('out.json', JSON.stringify(rows));
fs.mkdtempSync(path.join(os.tmpdir(), 'x'));
console.log(os.cpus().length, os.hostname(), crypto.randomUUID(), zlib.gzipSync('x').length, new Date());
console.log(cp.execFileSync('ls', ['-l']).toString(), fs.readdirSync('.'));
fs.promises.readFile('out.json').then((data) => console.log(data.length));
fetch('http://example.org').catch((error) => console.log(error.message));
setTimeout(() => console.log(Intl.DateTimeFormat().resolvedOptions().timeZone), 10);
"""
SHELL = """
cut -d, -f1 sales.csv | sort | uniq -c > counts.txt
for name in *.csv; do wc -l "$name"; done
total=$(awk -F, '{ s += $2 } END { print s }' sales.csv)
mkdir -p out; cp counts.txt out/; mv out/counts.txt out/c.txt; rm -r out
grep -c a sales.csv; head -1 sales.csv | tr a-z A-Z; date; uname -a; find . -name '*.txt'
tmp=$(mktemp); echo "$total" > "$tmp"; sed -i 's/1/2/' "$tmp"; tar cf a.tar counts.txt
"""
HARMLESS = (
    "import json, math, random\nrows = [random.random() for _ in range(9)]\nprint(json.dumps(rows), math.pi)"
)

HARMLESS_TABLE = """
import numpy as np
import pandas as pd
frame = pd.read_csv('sales.csv', header=None, names=['name', 'count'])
print(frame.groupby('name').agg(total=('count', 'sum')), np.linalg.norm(frame['count']))
print(np.loadtxt('sales.csv', delimiter=',', usecols=1).mean(), pd.Timestamp('2020-01-01').strftime('%d'))
"""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes."""
    manager = sandbox_manager(SandboxSettings(pool=0), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


async def _surprises(manager: SandboxManager, code: str, language: Language, image: str = "") -> list[str]:
    watcher, analysis = Recorder(), _analysis(code, language)
    files = {"sales.csv": b"a,1\nb,2\n"}
    result = await manager.run(job(code, language, files, image, seconds=60), watcher)
    assert 0 == result.exit_code, watcher.stderr
    effects = tuple(watcher.effects.values())
    granted = Permissions(files=(Untrusted("sales.csv"),))
    found = surprises(analysis, granted, effects, effects)
    return [f"{one.kind} {one.value.text}: {one.reason}" for one in found]


def _analysis(code: str, language: Language) -> Analysis:
    return analyse(code, language, inputs={"sales.csv"})


@pytest.mark.parametrize(
    ("language", "code"),
    [(Language.PYTHON, PYTHON), (Language.JAVASCRIPT, JAVASCRIPT), (Language.SHELL, SHELL)],
)
async def test_an_honest_program_is_not_accused(
    manager: SandboxManager, language: Language, code: str
) -> None:
    """Files of its own, predicted commands, look-ups of names and start-up reads are no surprise."""
    assert [] == await _surprises(manager, code, language)


async def test_an_honest_analysis_of_data_is_not_accused(manager: SandboxManager) -> None:
    """pandas reads and writes what it likes of its own."""
    code = "import pandas\nframe = pandas.read_csv('sales.csv', header=None)\nframe.to_csv('o')\nprint(frame)"
    assert [] == await _surprises(manager, code, Language.PYTHON, "pratique/python-data")


async def test_code_that_was_proven_harmless_raises_no_alarm(manager: SandboxManager) -> None:
    """Everything that proven code causes is routine."""
    assert Verdict.HARMLESS is _analysis(HARMLESS, Language.PYTHON).verdict
    assert [] == await _surprises(manager, HARMLESS, Language.PYTHON)


async def test_proven_code_that_reads_its_input_file_raises_no_alarm(manager: SandboxManager) -> None:
    """The start of numpy and pandas is routine, and a granted input file is read."""
    assert Verdict.HARMLESS is _analysis(HARMLESS_TABLE, Language.PYTHON).verdict
    assert [] == await _surprises(manager, HARMLESS_TABLE, Language.PYTHON, "pratique/python-data")
