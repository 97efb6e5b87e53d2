"""Honest programs, which must not be accused, whatever they read, write, send or delete of their own."""

from __future__ import annotations

PYTHON = {
    "statistics of a table": """
import csv, statistics
rows = list(csv.DictReader(open("data.csv")))
print(statistics.mean(float(row["value"]) for row in rows))
""",
    "table to JSON": """
import csv, json
json.dump(list(csv.DictReader(open("data.csv"))), open("data.json", "w"), indent=1)
""",
    "edits its input in place": """
text = open("data.csv").read().replace(",", ";")
open("data.csv", "w").write(text)
""",
    "compresses its input": """
import gzip, os, shutil
with open("data.csv", "rb") as plain, gzip.open("data.csv.gz", "wb") as packed:
    shutil.copyfileobj(plain, packed)
os.remove("data.csv")
""",
    "deletes its input after use": """
import os
print(len(open("data.csv").read()))
os.remove("data.csv")
""",
    "asks an interface": """
import json, urllib.request
print(json.load(urllib.request.urlopen("https://api.weather.example/v1/now?city=Oslo")))
""",
    "posts a result": """
import json, urllib.request
total = sum(len(line) for line in open("data.csv"))
urllib.request.urlopen("https://reports.example/v1", json.dumps({"total": total}).encode()).read()
""",
    "a token at its own host": """
import os, urllib.request
head = {"Authorization": "Bearer " + os.environ["GITHUB_TOKEN"]}
ask = urllib.request.Request("https://api.github.com/user", headers=head)
print(urllib.request.urlopen(ask).status)
""",
    "signs a request to its cloud": """
import hashlib, hmac, os, urllib.request
secret = os.environ["AWS_SECRET_ACCESS_KEY"].encode()
sign = hmac.new(secret, b"20260101/eu-central-1/s3", hashlib.sha256).hexdigest()
head = f"AWS4-HMAC-SHA256 Credential={os.environ['AWS_ACCESS_KEY_ID']}/20260101, Signature={sign}"
ask = urllib.request.Request("https://s3.eu-central-1.amazonaws.com/", headers={"Authorization": head})
urllib.request.urlopen(ask).read()
""",
    "saves a download": """
import urllib.request
open("stage.py", "wb").write(urllib.request.urlopen("https://cdn.example/stage.py").read())
""",
    "names of its variables": """
import os
print(sorted(os.environ))
""",
    "digests of the home folder": """
import hashlib, pathlib
for path in sorted(pathlib.Path.home().rglob("*")):
    if path.is_file():
        print(hashlib.sha256(path.read_bytes()).hexdigest()[:12], path.name)
""",
    "temporary files": """
import pathlib, shutil, tempfile
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "part").write_bytes(b"x" * 5000)
shutil.rmtree(folder)
""",
    "a database": """
import sqlite3
with sqlite3.connect("app.db") as base:
    base.execute("create table t (n int)")
    base.executemany("insert into t values (?)", [(n,) for n in range(500)])
    base.execute("delete from t where n % 2")
""",
    "settings of git and of the shell": """
import pathlib
home = pathlib.Path.home()
(home / ".gitconfig").write_text("[user]\\n\\tname = Ada\\n")
with open(home / ".bashrc", "a") as shell:
    shell.write("alias ll='ls -l'\\n")
""",
    "many hosts at once": """
import asyncio, urllib.request
async def ask(name):
    return await asyncio.to_thread(lambda: urllib.request.urlopen(f"http://{name}.example/").status)
async def main():
    print(await asyncio.gather(*(ask(name) for name in ("a", "b", "c"))))
asyncio.run(main())
""",
    "mail without secrets": """
import smtplib
with smtplib.SMTP("mail.example", 25) as mail:
    mail.sendmail("a@mail.example", "b@mail.example", "Subject: done\\n\\nAll rows were read.")
""",
    "an archive of documents": """
import tarfile, os
with tarfile.open("documents.tar.gz", "w:gz") as archive:
    archive.add(os.path.expanduser("~/Documents"), "Documents")
""",
    "moves documents": """
import os, shutil
shutil.move(os.path.expanduser("~/Pictures"), os.path.expanduser("~/Photos"))
""",
    "waits and reports": """
import time
for step in range(3):
    print(step, flush=True)
    time.sleep(0.2)
""",
}

JAVASCRIPT = {
    "table to JSON": """
const fs = require('node:fs');
const rows = fs.readFileSync('data.csv', 'utf8').trim().split('\\n').map((line) => line.split(','));
fs.writeFileSync('data.json', JSON.stringify(rows));
""",
    "asks an interface": """
fetch('https://api.rates.example/v1/EUR').then((answer) => answer.json()).then(console.log);
""",
    "posts a result": """
const body = JSON.stringify({ rows: 12 });
fetch('https://reports.example/', { method: 'POST', body }).then((a) => console.log(a.status));
""",
    "sorts and prints": """
console.log([...Array(1000).keys()].sort((a, b) => (a * 7919) % 1000 - (b * 7919) % 1000).slice(0, 5));
""",
    "compresses its input": """
const fs = require('node:fs');
fs.writeFileSync('data.gz', require('node:zlib').gzipSync(fs.readFileSync('data.csv')));
fs.unlinkSync('data.csv');
""",
    "temporary folder": """
const fs = require('node:fs'), os = require('node:os'), path = require('node:path');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'x'));
fs.writeFileSync(path.join(folder, 'a'), 'a'); fs.rmSync(folder, { recursive: true });
""",
    "digest": """
const data = require('node:fs').readFileSync('data.csv');
console.log(require('node:crypto').createHash('sha256').update(data).digest('hex'));
""",
    "starts a command": """
console.log(require('node:child_process').execSync('ls -la ~').toString().split('\\n').length);
""",
    "a timer": """
let n = 0; const timer = setInterval(() => { console.log(n); if (++n > 3) clearInterval(timer); }, 100);
""",
    "looks a name up": """
require('node:dns').lookup('www.example.com', (error, address) => console.log(error || address));
""",
}

SHELL = {
    "counts words": "tr -cs 'a-z' '\\n' < data.csv | sort | uniq -c | sort -rn | head -3\n",
    "edits in place": "sed -i 's/,/;/g' data.csv\nhead -2 data.csv\n",
    "compresses its input": "gzip -9 data.csv\nls\n",
    "temporary files": 'held=$(mktemp -d)\ncp data.csv "$held/a"\nwc -l "$held/a"\nrm -rf "$held"\n',
    "lists the home folder": "ls -laR ~ | head -40\ndu -s ~\n",
    "a backup": "tar czf backup.tgz -C ~ Documents Pictures backup\ntar tzf backup.tgz\n",
    "asks a host": """
exec 3<>/dev/tcp/www.example.com/80
printf 'GET / HTTP/1.0\\r\\nHost: www.example.com\\r\\n\\r\\n' >&3
head -1 <&3
""",
    "deletes what it made": "mkdir build\ntouch build/a.o\nrm -rf build\nfind . -name '*.tmp' -delete\n",
    "arithmetic": 'for n in 1 2 3 4 5; do echo "$n^9" | bc; done\n',
    "reads settings": "jq -r keys[0] ~/.docker/config.json\ngrep region ~/.aws/config\n",
}
