"""Attempts to use more than was granted, and to deceive the reviewer."""

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
        "processes are bounded, for those who try again, too",
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
        "the disk is bounded",
        "open('x', 'wb').write(bytes(10**8))",
        KillReason.DISK,
        disk_mb=16,
    ),
    ends(
        "shared memory bomb",
        "shared memory is bounded by memory",
        "f = open('/dev/shm/x', 'wb')\nwhile True: f.write(bytes(10**6))",
        KillReason.MEMORY,
        KillReason.DISK,
        KillReason.NONE,
        memory_mb=128,
    ),
    ends(
        "inode bomb",
        "files without content are bounded, too",
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
        "deaf to TERM",
        "the deadline holds for who does not listen",
        "import signal\nfor n in range(1, 32):\n"
        "    if n not in (9, 19): signal.signal(n, signal.SIG_IGN)\n"
        "while True: pass",
        KillReason.TIMEOUT,
        seconds=1,
    ),
    ends(
        "sleeping for ever",
        "the deadline holds",
        "import time\ntime.sleep(9e5)",
        KillReason.TIMEOUT,
        seconds=1,
    ),
)

_PROTOCOL = (
    AttackCase(
        "forged frames",
        "the guest cannot speak for its supervisor",
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
        "stealing the order",
        "nothing is left to read on the supervisor's input",
        "import os\n"
        "try:\n    fd = os.open('/proc/1/fd/0', os.O_RDONLY | os.O_NONBLOCK)\n    got = os.read(fd, 4096)\n"
        "except OSError: got = b''\n"
        "print(got or 'held')",
    ),
    AttackCase(
        "closed streams",
        "a guest that closes its streams is still heard to the end",
        "import os\nprint('held', flush=True)\nos.closerange(0, 3)\nos._exit(0)",
    ),
    AttackCase(
        "left behind",
        "nothing that a run started outlives it",
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        time.sleep(1)\n        os.write(1, b'still here')\n    os._exit(0)\n"
        "print('held')",
    ),
    ends(
        "killing the supervisor",
        "who kills the first process ends the sandbox, and nothing more",
        "import os\nos.kill(1, 9)\nwhile True: pass",
        KillReason.SANDBOX_FAILED,
        KillReason.TIMEOUT,
    ),
    ends(
        "stopping the supervisor",
        "who stops the first process meets the deadline all the same",
        "import os\nos.kill(1, 19)\nwhile True: pass",
        KillReason.TIMEOUT,
        seconds=1,
    ),
    AttackCase(
        "acting before the order",
        "no program leaves anything where a waiting interpreter would find and start it",
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
        "the user before",
        "nothing of an earlier run is left",
        "import os\n"
        "left = [f for d in ('/workspace', '/tmp', '/dev/shm', '/var/tmp') for f in os.listdir(d)]\n"
        "for d in ('/workspace', '/tmp', '/dev/shm'): open(d + '/mine', 'w').write('secret')\n"
        "print(left or 'held')",
    ),
)

BOMBS = (*_BOMBS, *_PROTOCOL)
