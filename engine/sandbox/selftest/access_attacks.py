"""Attacks that try to access files, hosts and privileges outside the sandbox."""

from __future__ import annotations

from engine.models import Language
from engine.sandbox.selftest.attack_case import AttackCase, refused

_READ = (
    refused(
        "host files",
        "the guest cannot read files of the host",
        "open('/etc/shadow').read()",
        "open('/var/run/docker.sock').read()",
        "os.listdir('/root')",
        "open('/dev/sda','rb')",
        "open('/dev/mem','rb')",
        "open('/dev/kmsg').read(10)",
        "open('/proc/kcore','rb').read(1)",
        "open('/proc/1/mem','rb').read(1)",
        "os.listdir('/proc/1/root/root')",
        "open('/sys/kernel/security/lsm').read()",
        "os.listdir('/sys/fs/bpf')",
    ),
    AttackCase(
        "host environment",
        "the guest has no environment variable of the host",
        "import os\n"
        "known = {'PATH', 'LANG', 'LC_CTYPE', 'HOME', 'HOSTNAME', 'MPLBACKEND', 'MPLCONFIGDIR'}\n"
        "names = set(os.environ)\n"
        "for pid in filter(str.isdigit, os.listdir('/proc')):\n"
        "    try: raw = open(f'/proc/{pid}/environ', 'rb').read()\n"
        "    except OSError: continue\n"
        "    names |= {e.split(b'=')[0].decode() for e in raw.split(b'\\0') if e}\n"
        "print(names - known or 'held')",
    ),
    AttackCase(
        "other processes",
        "the guest sees only its own processes",
        "import os\n"
        "own = filter(str.isdigit, os.listdir('/proc'))\n"
        "seen = [open(f'/proc/{pid}/cmdline').read().split('\\0')[0] for pid in own]\n"
        "other = [name for name in seen if name and os.path.basename(name) not in ('perl', 'python3')]\n"
        "print(other or 'held')",
    ),
    AttackCase(
        "host name",
        "the guest does not see the host name",
        "import socket\nprint('held' if socket.gethostname() == 'sandbox' else 'got it')",
    ),
)

_NETWORK = (
    refused(
        "network",
        "no metadata service, host, peer or name server is reachable",
        *(
            f"socket.create_connection(({host!r}, {port}), 1)"
            for host, port in (
                ("169.254.169.254", 80),
                ("172.17.0.1", 22),
                ("10.0.0.1", 80),
                ("1.1.1.1", 53),
                ("127.0.0.1", 2375),
            )
        ),
        "socket.getaddrinfo('example.com', 80)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('8.8.8.8', 53))",
        "socket.socket(socket.AF_INET6, socket.SOCK_STREAM).connect(('2606:4700::1111', 80))",
    ),
    refused(
        "raw sockets",
        "the guest cannot send raw packets",
        "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
        "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    ),
)

_WRITE = (
    refused(
        "writing elsewhere",
        "only /workspace, /tmp and /dev/shm can be written",
        *(
            f"open({path!r}, 'w')"
            for path in (
                "/x",
                "/etc/passwd",
                "/usr/bin/x",
                "/opt/pratique/runner.py",
                "/usr/bin/python3",
                "/root/x",
                "/proc/sys/kernel/hostname",
                "/proc/sysrq-trigger",
                "/sys/kernel/x",
                "/var/x",
            )
        ),
        "os.unlink('/usr/bin/python3')",
        "os.rename('/opt/pratique', '/opt/other')",
        "os.mknod('/workspace/disk', 0o60600, os.makedev(8, 0)) or open('/workspace/disk', 'rb').read(1)",
        "os.chown('/workspace', 0, 0)",
    ),
    refused(
        "links",
        "no hard or symbolic link escapes the sandbox",
        "os.link('/etc/passwd', '/workspace/hard')",
        "os.link('/proc/1/environ', '/workspace/hard')",
        "os.symlink('/../../../etc/shadow', '/workspace/soft') or open('/workspace/soft').read()",
        "open('/proc/self/root/../../etc/shadow').read()",
        "open('/proc/self/cwd/../etc/shadow').read()",
        "os.listdir('/proc/1/root/../root')",
    ),
    refused(
        "executables in writable folders",
        "the guest cannot execute binaries from its writable folders",
        "os.spawnv(os.P_WAIT, '/workspace/true', ['true']) == 127 and must(-1)",
        before="import shutil; shutil.copy('/usr/bin/true', 'true'); os.chmod('true', 0o755)",
    ),
    AttackCase(
        "hostile file names",
        "no link, pipe, device or name escapes the workspace",
        "import os\n"
        "os.symlink('/etc/passwd', 'link'); os.symlink('/', 'root'); os.mkfifo('pipe')\n"
        "os.makedirs('a/b'); os.symlink('../../..', 'a/b/up'); open('sparse', 'wb').truncate(1 << 28)\n"
        "open('\\u202efdp.exe', 'w'); open(os.fsencode('bad') + b'\\xff\\n\\x1b[2J', 'w')\n"
        "for n in range(5000): open(f'n{n}', 'w').close()\n"
        "print('held')",
    ),
)

_PRIVILEGE = (
    refused(
        "becoming root",
        "the guest remains user 1000 without capabilities",
        "os.setuid(0)",
        "os.setgid(0)",
        "os.setgroups([0])",
        "os.chroot('/tmp')",
        "must(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))",
        "must(libc.umount2(b'/tmp', 2))",
        "must(libc.sethostname(b'x', 1))",
        "must(libc.pivot_root(b'/tmp', b'/tmp'))",
        "int(open('/proc/self/status').read().split('CapEff:')[1].split()[0], 16) or must(-1)",
    ),
    refused(
        "kernel interfaces",
        "kernel modules, reboot, clock, ptrace, swap and BPF are refused",
        "must(libc.syscall(175, 0, 0, b''))",
        "must(libc.syscall(169, 0xfee1dead, 672274793, 0x1234567, 0))",
        "must(libc.syscall(321, 5, 0, 0))",
        "must(libc.syscall(298, 0, 0, 0, 0, 0))",
        "must(libc.syscall(246, 0, 0, 0, 0))",
        "must(libc.swapon(b'/workspace/x', 0))",
        "__import__('time').clock_settime(0, 1)",
        "must(libc.iopl(3))",
        "must(libc.ptrace(16, 1, 0, 0))",
    ),
    refused(
        "priority",
        "the guest cannot raise its priority or limits",
        "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))",
        "__import__('resource').setrlimit(7, (1 << 20, 1 << 20))",
        "__import__('resource').setrlimit(6, (1 << 20, 1 << 20))",
    ),
    AttackCase(
        "setuid programs",
        "there are no setuid programs",
        "found=$(find / -xdev -perm /6000 -type f 2>/dev/null); echo ${found:-held}",
        language=Language.SHELL,
    ),
)

ACCESS_ATTACKS = (*_READ, *_NETWORK, *_WRITE, *_PRIVILEGE)
