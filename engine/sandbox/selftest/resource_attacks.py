"""Attacks that try to exceed limits, forge protocol frames or survive the run."""

from __future__ import annotations

from engine.models import KillReason
from engine.sandbox.selftest.attack_case import AttackCase, ends, refused

_BOMBS = (
    ends(
        "fork bomb",
        "processes are bounded",
        "import os\nwhile True: os.fork()",
        KillReason.PROCESSES,
        KillReason.TIMEOUT,
    ),
    ends(
        "stubborn fork bomb",
        "processes are bounded, also when the program retries",
        "import os, time\nwhile True:\n    try: os.fork()\n    except OSError: time.sleep(0.01)",
        KillReason.PROCESSES,
        KillReason.TIMEOUT,
    ),
    ends(
        "thread bomb",
        "threads are bounded",
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(99,)).start()",
        KillReason.PROCESSES,
        KillReason.TIMEOUT,
        KillReason.NONE,
    ),
    ends("memory bomb", "memory is bounded", "x = []\nwhile True: x.append(b'x' * 10**7)", KillReason.MEMORY),
    ends(
        "disk bomb",
        "disk space is bounded",
        "open('x', 'wb').write(bytes(10**8))",
        KillReason.DISK,
        disk_mb=16,
    ),
    ends(
        "shared memory bomb",
        "shared memory is bounded by the memory limit",
        "f = open('/dev/shm/x', 'wb')\nwhile True: f.write(bytes(10**6))",
        KillReason.MEMORY,
        KillReason.DISK,
        KillReason.NONE,
        memory_mb=128,
    ),
    ends(
        "inode bomb",
        "empty files are bounded",
        "n = 0\nwhile True:\n    open(f'/tmp/{n}', 'w').close(); n += 1",
        KillReason.MEMORY,
        KillReason.DISK,
        KillReason.TIMEOUT,
        memory_mb=128,
    ),
    ends("output bomb", "output is bounded", "while True: print('x' * 9999)", KillReason.OUTPUT),
    refused(
        "descriptor bomb",
        "open files are bounded",
        "[os.dup(0) for _ in range(2000)]",
    ),
    ends(
        "ignoring TERM",
        "the deadline also ends programs that ignore signals",
        "import signal\nfor n in range(1, 32):\n"
        "    if n not in (9, 19): signal.signal(n, signal.SIG_IGN)\n"
        "while True: pass",
        KillReason.TIMEOUT,
        seconds=1,
    ),
    ends(
        "sleeping forever",
        "the deadline ends an idle program",
        "import time\ntime.sleep(9e5)",
        KillReason.TIMEOUT,
        seconds=1,
    ),
)

_PROTOCOL = (
    AttackCase(
        "forged frames",
        "the guest cannot forge frames of the supervisor",
        "import os\n"
        "for n in range(200):\n"
        "    nonce = os.urandom(16).hex().encode()\n"
        "    os.write(1, b'\\0ready 6.0\\n\\0' + nonce + b' 0 0 0 0 0\\nleft 0\\n')\n"
        "for fd in '1', '2':\n"
        "    try: open('/proc/1/fd/' + fd, 'wb').write(b'\\0' + b'0' * 32 + b' 9 0 0 0 0\\nleft 0\\n')\n"
        "    except OSError: pass\n"
        "print('held')",
    ),
    AttackCase(
        "reading the run request",
        "the guest cannot read the input of the supervisor",
        "import os\n"
        "try:\n    fd = os.open('/proc/1/fd/0', os.O_RDONLY | os.O_NONBLOCK)\n    got = os.read(fd, 4096)\n"
        "except OSError: got = b''\n"
        "print(got or 'held')",
    ),
    AttackCase(
        "closed streams",
        "output before closing the streams is kept",
        "import os\nprint('held', flush=True)\nos.closerange(0, 3)\nos._exit(0)",
    ),
    AttackCase(
        "background processes",
        "no process outlives its run",
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        time.sleep(1)\n        os.write(1, b'still here')\n    os._exit(0)\n"
        "print('held')",
    ),
    refused(
        "stopping the supervisor",
        "the guest cannot end, stop, limit or trace the supervisor",
        *(f"os.kill(1, {number})" for number in (1, 2, 9, 10, 11, 15, 19, 20, 23)),
        "resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))",
        "resource.prlimit(1, resource.RLIMIT_FSIZE, (0, 0))",
        "must(libc.ptrace(16, 1, 0, 0))",
        "must(libc.ptrace(0x4206, 1, 0, 0))",
        before="import resource",
    ),
    AttackCase(
        "startup hooks",
        "the guest cannot install code that a waiting interpreter would load",
        "import builtins, os, site, sys\n"
        "own, left = ('/workspace', '/tmp', '/dev/shm'), []\n"
        "sites = [site.getusersitepackages(), *site.getsitepackages()]\n"
        "for folder in {*own, *sites, '/opt/pratique', *sys.path}:\n"
        "    for name in 'usercustomize.py', 'sitecustomize.py', 'hook.pth', 'runner.py':\n"
        "        try:\n"
        "            os.makedirs(folder, exist_ok=True)\n"
        "            open(f'{folder}/{name}', 'w').write('import builtins; builtins.acted = 1')\n"
        "        except OSError: continue\n"
        "        if not os.path.abspath(folder).startswith(own): left.append(folder)\n"
        "print(left or 'acted' * hasattr(builtins, 'acted') or 'held')",
    ),
    AttackCase(
        "data of earlier runs",
        "nothing of an earlier run remains",
        "import os\n"
        "left = [f for d in ('/workspace', '/tmp', '/dev/shm', '/var/tmp') for f in os.listdir(d)]\n"
        "for d in ('/workspace', '/tmp', '/dev/shm'): open(d + '/mine', 'w').write('secret')\n"
        "print(left or 'held')",
    ),
)

RESOURCE_ATTACKS = (*_BOMBS, *_PROTOCOL)
