"""Published container escapes, each tried from inside the sandbox."""

from __future__ import annotations

from engine.sandbox.selftest.attack_case import AttackCase, refused

ESCAPE_ATTACKS = (
    refused(
        "kernel helper programs",
        "the guest cannot register a program that the host kernel starts (release_agent, core_pattern)",
        *(
            f"open({path!r}, 'w').write('/workspace/x')"
            for path in (
                "/proc/sys/kernel/core_pattern",
                "/proc/sys/kernel/modprobe",
                "/proc/sys/kernel/hotplug",
                "/proc/sys/fs/binfmt_misc/register",
                "/sys/kernel/uevent_helper",
                "/sys/fs/cgroup/release_agent",
                "/sys/fs/cgroup/memory/release_agent",
                "/sys/fs/cgroup/devices/devices.allow",
            )
        ),
        "must(libc.mount(b'cgroup', b'/tmp', b'cgroup', 0, b'memory'))",
    ),
    refused(
        "runtime binary",
        "the binary of the runtime cannot be opened for writing (CVE-2019-5736)",
        "os.open('/proc/self/exe', os.O_WRONLY)",
        "os.open('/proc/1/exe', os.O_WRONLY)",
        "os.open('/proc/1/exe', os.O_RDWR | os.O_TRUNC)",
    ),
    AttackCase(
        "leaked file descriptors",
        "no file descriptor of the host is inherited (CVE-2024-21626)",
        "import os\n"
        "got = []\n"
        "for pid in ('self', '1'):\n"
        "    for fd in range(64):\n"
        "        try: where = os.readlink(f'/proc/{pid}/fd/{fd}')\n"
        "        except OSError: continue\n"
        # The marked lines are in memory of the sandbox's own.
        "        usual = where.startswith(('/dev/null', '/proc/')) or where == '/memfd:lines (deleted)'\n"
        "        if where.startswith('/') and not usual: got.append(where)\n"
        "        try: got.append(os.listdir(f'/proc/{pid}/fd/{fd}/../../..'))\n"
        "        except OSError: pass\n"
        "print(got or 'held')",
    ),
    refused(
        "files by inode",
        "no file can be opened by an inode handle (Shocker)",
        "must(libc.syscall(304, 3, handle, 0))",
        "must(libc.syscall(304, -100, handle, 0))",
        "must(libc.syscall(304, os.open('/', os.O_RDONLY), handle, 0))",
        before="handle = (ctypes.c_char * 16)(*b'\\x08\\0\\0\\0\\x01\\0\\0\\0\\x02\\0\\0\\0\\0\\0\\0\\0')",
    ),
    refused(
        "user namespaces",
        "root in a new user namespace gains no access",
        "open('/etc/shadow').read()",
        "os.mknod('disk', 0o60600, os.makedev(8, 0)) or open('disk', 'rb').read(1)",
        "must(libc.mount(b'/dev/sda', b'/tmp', b'ext4', 0, None))",
        "open('/tmp/release_agent', 'w')",
        "open('/proc/sysrq-trigger', 'w').write('b')",
        "open('/opt/pratique/runner.py', 'w')",
        "must(libc.syscall(175, 0, 0, b''))",
        before="libc.unshare(0x10000000), libc.unshare(0x00020000)\n"
        "libc.mount(b'cgroup', b'/tmp', b'cgroup', 0, b'memory')",
    ),
    refused(
        "recent system calls",
        "io_uring, userfaultfd, kernel keys and BPF are refused",
        "must(libc.syscall(425, 8, (ctypes.c_char * 120)()))",
        "must(libc.syscall(323, 0))",
        "must(libc.syscall(248, b'user', b'x', b'y', 1, -3))",
        "must(libc.syscall(321, 0, (ctypes.c_char * 120)(), 120))",
    ),
    refused(
        "other socket families",
        "vsock, abstract Unix and netlink sockets reach nothing outside",
        "socket.socket(40, socket.SOCK_STREAM).connect((2, 1024))",
        "socket.socket(38, socket.SOCK_SEQPACKET)",
        "socket.socket(socket.AF_UNIX).connect('\\0/containerd-shim/moby')",
        "socket.socket(socket.AF_UNIX).connect('/run/containerd/containerd.sock')",
        "socket.socket(socket.AF_UNIX).connect('/run/docker.sock')",
        "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9)",
        "len(open('/proc/net/unix').read().splitlines()) > 1 or must(-1)",
    ),
    refused(
        "supervisor process",
        "the guest cannot access the memory or descriptors of the supervisor",
        "must(libc.syscall(438, libc.syscall(434, 1, 0), 0, 0))",
        "open('/proc/1/mem', 'r+b')",
        "os.read(os.open('/proc/1/fd/0', os.O_RDONLY | os.O_NONBLOCK), 1)",
        "os.write(os.open('/proc/1/fd/0', os.O_WRONLY), b'x')",
        *(
            f"os.open('/proc/1/{folder}/{number}', os.{mode})"
            for folder in ("fd", "task/1/fd")
            for number in range(3)
            for mode in ("O_RDONLY", "O_WRONLY", "O_RDWR")
        ),
        "open('/proc/1/task/1/mem', 'rb').read(1)",
        "open('/proc/1/io').read()",
        "os.listdir('/proc/1/cwd')",
        "os.listdir('/proc/1/root')",
        "open('/proc/1/mem', 'rb').read(1)",
    ),
    AttackCase(
        "devices",
        "there are no devices other than those of gVisor",
        "import os\n"
        "own = 'null zero full random urandom tty ptmx pts shm fd stdin stdout stderr console fuse net'\n"
        "print(set(os.listdir('/dev')) - set(own.split()) or 'held')",
    ),
    AttackCase(
        "host paths",
        "the guest does not see where its files are on the host",
        "import re\n"
        "names = ('mountinfo', 'mounts', 'cgroup', 'maps', 'status')\n"
        "text = ''.join(open(f'/proc/self/{name}').read() for name in names)\n"
        "print(re.findall(r'/var/.*|containerd.*|overlay2.*|upperdir.*', text) or 'held')",
    ),
)
"""Escapes from old versions of runc and Docker, and from insecure configurations."""
