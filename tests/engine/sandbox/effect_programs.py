"""Programs whose effects are known: what each does, and how it is expected to be observed.

A line of expectations is `kind target` or `kind target: detail`, with `*` for what varies.
"""

from __future__ import annotations

Program = tuple[str, tuple[str, ...]]
"""Code, and its expected effects."""

PYTHON: tuple[Program, ...] = (
    ("open('/etc/passwd').read()", ("read /etc/passwd",)),
    ("open('w1', 'w').write('x')", ("write /workspace/w1: create, truncate",)),
    ("open('w1', 'a').write('x')", ("write /workspace/w1: create, append",)),
    ("open('w1').read()", ("read /workspace/w1",)),
    ("open('w2', 'x').close()", ("write /workspace/w2: create, exclusive",)),
    ("open('/tmp/t1', 'wb').close()", ("write /tmp/t1: create, truncate",)),
    ("attempt(lambda: open('/etc/shadow'))", ("read /etc/shadow",)),
    ("attempt(lambda: open('/etc/motd', 'a'))", ("write /etc/motd: create, append",)),
    ("attempt(lambda: open('/no/such/file'))", ("read /no/such/file",)),
    ("open('r1', 'w').close(); os.rename('r1', 'r2')",
     ("write /workspace/r1: create, truncate", "rename : rename", "delete /workspace/r1*",
      "rename /workspace/r2*")),
    ("open('u1', 'w').close(); os.unlink('u1')",
     ("write /workspace/u1: create, truncate", "delete : unlink", "delete /workspace/u1*")),
    ("os.mkdir('d1'); os.rmdir('d1')", ("folder : mkdir", "delete : rmdir")),
    ("os.symlink('/etc/hostname', 'l1'); open('l1').read()",
     ("link : symlink", "read /workspace/l1", "read /etc/hostname: opened as /workspace/l1")),
    ("os.link('w1', 'h1')", ("link : link", "rename /workspace/h1*")),
    ("os.chmod('w1', 0o600)", ("attributes : chmod",)),
    ("attempt(lambda: os.chown('w1', 0, 0))", ("attributes : chown",)),
    ("os.truncate('w1', 1)", ("write : truncate",)),
    ("subprocess.run(['/bin/true', 'a b'])", ("process /usr/bin/true: /bin/true 'a b'",)),
    ("attempt(lambda: subprocess.run(['/no/program']))", ("process /no/program: could not be executed",)),
    ("os.system('exit 7')", ("process /usr/bin/dash: sh -c *exit 7*",)),
    ("os.fork() or os._exit(3); os.wait()", ("process the program: fork",)),
    ("if os.fork() == 0:\n    os.setsid()\n    os.fork() or os._exit(0)\n    os._exit(0)\nos.wait()",
     ("process the program: fork",)),
    ("t = threading.Thread(target=open, args=('th1', 'w')); t.start(); t.join()",
     ("write /workspace/th1: create, truncate",)),
    (("if os.fork() == 0:\n"
      "    def late(): threading.Event().wait(0.3); open('th2', 'w').close(); os._exit(0)\n"
      "    threading.Thread(target=late).start(); libc.syscall(60, 0)\nos.wait()"),
     ("write /workspace/th2: create, truncate", "process the program: fork")),
    ("attempt(lambda: socket.create_connection(('45.33.32.156', 4444), 1))", ("connect 45.33.32.156:4444",)),
    ("attempt(lambda: socket.socket(socket.AF_INET6).connect(('2001:db8::1', 443)))",
     ("connect [[]2001:db8::1[]]:443",)),
    ("attempt(lambda: socket.socket(socket.AF_UNIX).connect('/tmp/nobody'))", ("connect /tmp/nobody",)),
    ("attempt(lambda: socket.socket(socket.AF_UNIX).connect('\\0hidden'))", ("connect @hidden",)),
    ("u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); attempt(lambda: u.sendto(b'x', ('8.8.4.4', 53)))",
     ("send : UDP, to an address*",)),
    ("s = socket.socket(); s.bind(('127.0.0.1', 8081)); s.listen(); s.close()", ("listen 127.0.0.1:8081",)),
    ("s = socket.socket(socket.AF_UNIX); s.bind('/tmp/s1'); s.listen(); s.close()", ("listen /tmp/s1",)),
    ("os.kill(os.getpid(), 0)", ("signal itself: whether it exists",)),
    ("attempt(lambda: os.kill(1, 15))", ("signal the supervisor: SIGTERM",)),
    ("libc.ptrace(0, 0, 0, 0)", ("trace : ptrace request 0",)),
    ("libc.mount(b'none', b'/workspace', b'tmpfs', 0, None)", ("mount : mount",)),
    ("attempt(lambda: os.chroot('/tmp'))", ("mount /tmp: chroot",)),
    ("attempt(lambda: os.setuid(0))", ("privilege setuid 0",)),
    ("os.fork() or (libc.unshare(0x10000000), os._exit(0)); os.wait()",
     ("privilege : unshare 0x10000000", "process the program: fork")),
    ("m = os.memfd_create('m1'); os.write(m, open('/bin/true', 'rb').read())", ("memory : memfd_create",)),
    ("os.fork() or os.execve(m, ['evil'], {})\nos.wait()",
     ("process /memfd:m1 (deleted): evil", "memory /memfd:m1*: executed as evil")),
    ("open(os.open('raw', os.O_CREAT | os.O_WRONLY), 'w').close()", ("write /workspace/raw: create",)),
    ("os.chdir('/tmp'); open('rel', 'w').close(); os.chdir('/workspace')",
     ("write /tmp/rel: create, truncate",)),
    ("open('/proc/1/environ', 'rb') if os.access('/proc/1/environ', os.R_OK) else None",
     ("read /proc/1/environ",)),
    ("sum(range(1000)); print('nothing')", ()),
    ("import json, re, decimal; print(json.dumps([1]))", ()),
    ("attempt(lambda: socket.getaddrinfo('example.org', 80))", ()),
)  # fmt: skip

PYTHON_PRELUDE = """
import ctypes, os, socket, subprocess, threading
libc = ctypes.CDLL(None)
def attempt(work):
    try: work()
    except OSError: pass
"""

JAVASCRIPT: tuple[Program, ...] = (
    ("fs.readFileSync('/etc/passwd')", ("read /etc/passwd",)),
    ("fs.writeFileSync('w1', 'x')", ("write /workspace/w1: create, truncate",)),
    ("fs.appendFileSync('w1', 'x')", ("write /workspace/w1: create, append",)),
    ("fs.mkdirSync('d1')", ("folder : mkdir",)),
    ("fs.writeFileSync('r1', ''); fs.renameSync('r1', 'r2')",
     ("write /workspace/r1: create, truncate", "rename : rename", "delete /workspace/r1*",
      "rename /workspace/r2*")),
    ("fs.writeFileSync('u1', ''); fs.unlinkSync('u1')",
     ("write /workspace/u1: create, truncate", "delete : unlink", "delete /workspace/u1*")),
    ("cp.execFileSync('/bin/true', ['a'])", ("process /usr/bin/true: /bin/true a",)),
    ("cp.execSync('exit 0')", ("process /usr/bin/dash: /bin/sh -c 'exit 0'",)),
    ("net.connect(81, '45.33.32.157').on('error', () => {})", ("connect 45.33.32.157:81",)),
    ("const server = net.createServer().listen(8082, '127.0.0.1', () => server.close())",
     ("listen 127.0.0.1:8082",)),
    ("try { process.kill(1, 'SIGKILL') } catch {}", ("signal the supervisor: SIGKILL",)),
    ("fs.chmodSync('w1', 0o600)", ("attributes : chmod",)),
    ("require('node:dns').lookup('example.org', () => {})", ()),
    ("console.log([1, 2, 3].map((x) => x * 2))", ()),
    ("new Promise((done) => setTimeout(done, 1)).then(() => console.log('late'))", ()),
)  # fmt: skip

JAVASCRIPT_PRELUDE = """
const fs = require('node:fs'), cp = require('node:child_process'), net = require('node:net');
"""

SHELL: tuple[Program, ...] = (
    ("echo x > w1", ("write /workspace/w1: create, truncate",)),
    ("echo x >> w1", ("write /workspace/w1: create, append",)),
    ("cat /etc/hostname > /dev/null", ("process /usr/bin/cat: cat /etc/hostname", "read /etc/hostname")),
    ("cp w1 c1",
     ("process /usr/bin/cp: cp w1 c1", "read /workspace/w1", "write /workspace/c1: create, exclusive")),
    ("mv c1 c2",
     ("process /usr/bin/mv: mv c1 c2", "read /workspace/c1", "rename : rename", "delete /workspace/c1*",
      "rename /workspace/c2*")),
    ("touch u1", ("process /usr/bin/touch: touch u1", "write /workspace/u1: create")),
    ("rm u1", ("process /usr/bin/rm: rm u1", "delete : unlink", "delete /workspace/u1*")),
    ("(exit 4)", ("process the program: fork",)),
    ("/bin/true & wait", ("process /usr/bin/true: /bin/true",)),
    ("./nosuch 2> /dev/null", ("process /workspace/nosuch: could not be executed",)),
    ("(echo > /dev/tcp/9.9.9.9/99) 2> /dev/null", ("connect 9.9.9.9:99", "process the program: fork")),
    ("kill -TERM 1 2> /dev/null", ("signal the supervisor: SIGTERM",)),
    ("ln -s w1 l1", ("process /usr/bin/ln: ln -s w1 l1", "link : symlink")),
    ("true; : ; printf x", ()),
    ("for i in 1 2 3; do echo $i; done", ()),
    ("x=$((1 + 2)); [ $x = 3 ]", ()),
)  # fmt: skip
