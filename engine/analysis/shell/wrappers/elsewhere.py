"""Programs that run another program elsewhere and count besides: containers, package runners, terminals.

Programs with subcommands have one row for each of them (`docker exec`).
"""

from __future__ import annotations

from engine.analysis.shell.wrappers.options import grammar

_DOCKER_RUN = (
    "a: attach: c: cpu-shares: e: env: env-file: h: hostname: l: label: label-file: m: memory: name: "
    "network: net: p: publish: expose: u: user: v: volume: w: workdir: mount: entrypoint: cpus: device: "
    "dns: add-host: cap-add: cap-drop: cgroup-parent: cgroupns: cidfile: cpuset-cpus: gpus: group-add: "
    "health-cmd! ip: ipc: isolation: link: log-driver: log-opt: mac-address: memory-swap: network-alias: "
    "pid: pids-limit: platform: pull: restart: runtime: security-opt: shm-size: stop-signal: "
    "storage-opt: sysctl: tmpfs: ulimit: userns: uts: volumes-from: volume-driver: annotation: pod:"
)
_DOCKER_EXEC = "e: env: env-file: u: user: w: workdir: detach-keys: index:"
_COMPOSE_RUN = f"{_DOCKER_EXEC} l: label: v: volume: p: publish: name: entrypoint: cap-add: cap-drop: pull:"
_COMPOSE = "f: file: p: project-name: profile: env-file: project-directory: parallel: ansi: progress:"
_KUBECTL = "n: namespace: c: container: f: filename: kubeconfig: context: cluster: s: server: user: token:"
_RUNNER = "p: python: with: from: w: package: group: extra: directory: project: env-file: index-url: i:"
_BWRAP = (
    "bind:: dev-bind:: ro-bind:: bind-try:: dev-bind-try:: ro-bind-try:: bind-fd:: ro-bind-fd:: "
    "symlink:: setenv:: file:: bind-data:: ro-bind-data:: chmod:: overlay::: unsetenv: chdir: tmpfs: proc: "
    "dev: mqueue: dir: hostname: uid: gid: args: lock-file: sync-fd: exec-label: file-label: seccomp: "
    "add-seccomp-fd: block-fd: userns: userns2: pidns: cap-add: cap-drop: perms: size: overlay-src: "
    "tmp-overlay: ro-overlay: argv0: info-fd: json-status-fd: remount-ro: userns-block-fd:"
)

BESIDE = {
    **dict.fromkeys(
        (
            "docker run",
            "docker create",
            "podman run",
            "podman create",
            "nerdctl run",
            "docker container run",
            "podman container run",
        ),
        grammar(_DOCKER_RUN, 1, flags="kept"),
    ),
    **dict.fromkeys(
        ("docker exec", "podman exec", "nerdctl exec", "docker container exec", "podman container exec"),
        grammar(_DOCKER_EXEC, 1, flags="kept"),
    ),
    **dict.fromkeys(
        ("docker compose run", "docker-compose run", "podman-compose run"),
        grammar(_COMPOSE_RUN, 1, flags="kept"),
    ),
    **dict.fromkeys(
        ("docker compose exec", "docker-compose exec", "podman-compose exec"),
        grammar(_DOCKER_EXEC, 1, flags="kept"),
    ),
    **dict.fromkeys(
        ("kubectl exec", "kubectl run", "kubectl debug", "oc exec", "oc rsh", "oc run"),
        grammar(after="--", flags="kept"),
    ),
    **dict.fromkeys(
        (
            "uvx",
            "uv run",
            "uv tool run",
            "pipx run",
            "pdm run",
            "hatch run",
            "rye run",
            "poetry run",
            "pipenv run",
            "dotenv run",
            "bunx",
            "bun x",
        ),
        grammar(_RUNNER, flags="kept"),
    ),
    **dict.fromkeys(
        ("yarn exec", "yarn dlx", "pnpm exec", "pnpm dlx", "pnpx", "bundle exec"),
        grammar("p: package: C: dir:", flags="kept"),
    ),
    **dict.fromkeys(
        ("conda run", "mamba run", "micromamba run"), grammar("n: name: p: prefix: cwd:", flags="kept")
    ),
    **dict.fromkeys(
        (
            "lxc exec",
            "multipass exec",
            "lxc-attach",
            "lxc-execute",
            "op run",
            "aws-vault exec",
            "nox",
            "tox exec",
            "gnome-terminal",
            "mate-terminal",
            "schroot",
            "gcloud compute ssh",
            "doppler run",
            "vault exec",
            "chamber exec",
        ),
        grammar(after="--", flags="kept"),
    ),
    **dict.fromkeys(
        (
            "xterm",
            "uxterm",
            "konsole",
            "rxvt",
            "urxvt",
            "xfce4-terminal",
            "alacritty",
            "terminator",
            "lxterminal",
            "x-terminal-emulator",
            "st",
        ),
        grammar(after="-e -x", flags="kept"),
    ),
    "gdb": grammar(after="--args", flags="kept"),
    "lldb": grammar(after="--", flags="kept"),
    "kitty": grammar(flags="kept"),
    "bwrap": grammar(_BWRAP, flags="kept"),
    "proot": grammar(
        "r: rootfs: b: bind: q: qemu: w: pwd: cwd: k: kernel-release: v: verbose:", flags="kept"
    ),
    "systemd-nspawn": grammar(
        "D: directory: M: machine: u: user: p: port: E: setenv: i: image: bind: bind-ro: "
        "tmpfs: property: uuid: slice: capability: template: network-interface:",
        flags="kept",
    ),
    "machinectl shell": grammar("uid: E: setenv:", 1, flags="kept"),
    "ip netns exec": grammar(skip=1, flags="kept"),
    "ip vrf exec": grammar(skip=1, flags="kept"),
    "direnv exec": grammar(skip=1, flags="kept"),
    "wsl": grammar("d: distribution: u: user: cd: shell-type:", flags="kept"),
    "screen": grammar("c: e: h: p: s: S: t: T: X:", flags="kept"),
    "wine": grammar(flags="kept"),
    "cmd": grammar(after="/c /C /k /K", flags="kept"),
    "arch-chroot": grammar("u:", 1, flags="kept"),
}
"""Programs that run the words behind their own elsewhere, and count besides."""

PROGRAMS = {
    "docker": grammar("c: context: H: host: l: log-level: config: tlscacert: tlscert: tlskey:"),
    "docker compose": grammar(_COMPOSE),
    "docker-compose": grammar(_COMPOSE),
    "podman-compose": grammar(_COMPOSE),
    "podman": grammar("c: connection: url: root: runroot: log-level: identity: cgroup-manager:"),
    "kubectl": grammar(_KUBECTL),
    "oc": grammar(_KUBECTL),
    "uv": grammar("directory: project: config-file: cache-dir: color:"),
    "adb": grammar("s: t: H: P: L:"),
    "npm": grammar("prefix: w: workspace: loglevel:"),
    "pnpm": grammar("C: dir: filter: F:"),
    "yarn": grammar("cwd:"),
    "ip": grammar("n: netns: b: batch: f: family: l: loops:"),
    "poetry": grammar("C: directory: P: project:"),
    "tmux": grammar("c: f: L: S: T:"),
    **{
        name: grammar()
        for name in (
            "nerdctl",
            "pipx",
            "pdm",
            "hatch",
            "rye",
            "pipenv",
            "dotenv",
            "bun",
            "bundle",
            "conda",
            "mamba",
            "micromamba",
            "lxc",
            "multipass",
            "op",
            "perf",
            "aws-vault",
            "tox",
            "machinectl",
            "direnv",
            "vagrant",
            "gcloud",
            "doppler",
            "vault",
            "chamber",
        )
    },
    **{
        name: grammar()
        for name in (
            "docker container",
            "podman container",
            "uv tool",
            "ip netns",
            "ip vrf",
            "gcloud compute",
        )
    },
}
"""Programs with subcommands: their general options."""
