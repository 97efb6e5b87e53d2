"""Ways out of containers that worked somewhere once: each is tried from inside, as it was published."""

from __future__ import annotations

from engine.sandbox.selftest.attack_case import AttackCase, refused

ESCAPES = (
    refused(
        "helpers of the host's kernel",
        "no program of the guest is named as one that the host's kernel starts (release_agent, core_pattern)",
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
        "the runtime's own program",
        "the program that started the sandbox cannot be opened to write (CVE-2019-5736)",
        "os.open('/proc/self/exe', os.O_WRONLY)",
        "os.open('/proc/1/exe', os.O_WRONLY)",
        "os.open('/proc/1/exe', os.O_RDWR | os.O_TRUNC)",
    ),
    AttackCase(
        "descriptors left open",
        "no descriptor of the host's is inherited, and none leads to its folders (CVE-2024-21626)",
        "import os\n"
        "got = []\n"
        "for pid in ('self', '1'):\n"
        "    for fd in range(64):\n"
        "        try: where = os.readlink(f'/proc/{pid}/fd/{fd}')\n"
        "        except OSError: continue\n"
        "        usual = where.startswith(('/dev/null', '/proc/'))\n"
        "        if where.startswith('/') and not usual: got.append(where)\n"
        "        try: got.append(os.listdir(f'/proc/{pid}/fd/{fd}/../../..'))\n"
        "        except OSError: pass\n"
        "print(got or 'held')",
    ),
    refused(
        "files by their numbers",
        "no file is opened by a handle of its inode, past every folder (shocker)",
        "must(libc.syscall(304, 3, handle, 0))",
        "must(libc.syscall(304, -100, handle, 0))",
        "must(libc.syscall(304, os.open('/', os.O_RDONLY), handle, 0))",
        before="handle = (ctypes.c_char * 16)(*b'\\x08\\0\\0\\0\\x01\\0\\0\\0\\x02\\0\\0\\0\\0\\0\\0\\0')",
    ),
    refused(
        "another user namespace",
        "root of a namespace of its own reads, mounts and makes nothing more",
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
        "new system calls of the kernel",
        "io_uring, userfaultfd, keys of the kernel and programs in it are closed",
        "must(libc.syscall(425, 8, (ctypes.c_char * 120)()))",
        "must(libc.syscall(323, 0))",
        "must(libc.syscall(248, b'user', b'x', b'y', 1, -3))",
        "must(libc.syscall(321, 0, (ctypes.c_char * 120)(), 120))",
    ),
    refused(
        "sockets past the network",
        "no other socket leads out: a virtual machine's, an abstract one of the host, the kernel's own",
        "socket.socket(40, socket.SOCK_STREAM).connect((2, 1024))",
        "socket.socket(38, socket.SOCK_SEQPACKET)",
        "socket.socket(socket.AF_UNIX).connect('\\0/containerd-shim/moby')",
        "socket.socket(socket.AF_UNIX).connect('/run/containerd/containerd.sock')",
        "socket.socket(socket.AF_UNIX).connect('/run/docker.sock')",
        "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9)",
        "len(open('/proc/net/unix').read().splitlines()) > 1 or must(-1)",
    ),
    refused(
        "the first process's own",
        "nothing is taken out of the supervisor: neither its memory nor its descriptors",
        "must(libc.syscall(438, libc.syscall(434, 1, 0), 0, 0))",
        "open('/proc/1/mem', 'r+b')",
        "os.read(os.open('/proc/1/fd/0', os.O_RDONLY | os.O_NONBLOCK), 1)",
        "os.write(os.open('/proc/1/fd/0', os.O_WRONLY), b'x')",
        "open('/proc/1/mem', 'rb').read(1)",
    ),
    AttackCase(
        "devices",
        "there is no device but those that gVisor makes itself",
        "import os\n"
        "own = 'null zero full random urandom tty ptmx pts shm fd stdin stdout stderr console fuse net'\n"
        "print(set(os.listdir('/dev')) - set(own.split()) or 'held')",
    ),
    AttackCase(
        "paths of the host",
        "the guest cannot see where its files are on the host",
        "import re\n"
        "names = ('mountinfo', 'mounts', 'cgroup', 'maps', 'status')\n"
        "said = ''.join(open(f'/proc/self/{name}').read() for name in names)\n"
        "print(re.findall(r'/var/.*|containerd.*|overlay2.*|upperdir.*', said) or 'held')",
    ),
)
"""What got code out of containers of old versions of runc and Docker, or out of careless set-ups."""
