"""Programs that run another program in their place, with their option grammars from the manual pages."""

from __future__ import annotations

from engine.analysis.shell.wrappers.options import grammar

_SUDO = (
    "u: g: h: p: C: T: r: t: D: R: U: user: group: host: prompt: chdir: chroot: close-from: "
    "command-timeout: role: type: other-user: l. list. v. validate. k. e. edit."
)
_SU = "c! command! session-command! s: shell: g: group: G: supp-group: w: whitelist-environment:"
_NAMESPACES = "R: root: w: wd: S: setuid: G: setgid:"

LOCAL = {
    **{
        name: grammar()
        for name in (
            "nohup",
            "setsid",
            "builtin",
            "busybox",
            "toybox",
            "eatmydata",
            "torsocks",
            "tsocks",
            "torify",
            "fakechroot",
            "coproc",
            "ssh-agent",
            "catchsegv",
            "nocorrect",
            "noglob",
            "unbuffer",
            "firejail",
            "linux32",
            "linux64",
            "uname26",
            "i386",
            "x86_64",
            "dumb-init",
            "catatonit",
            "winpty",
            "chronic",
            "ifne",
            "valgrind",
            "dbus-launch",
        )
    },
    "time": grammar("f: format: o: output:"),
    "command": grammar("v. V."),
    "exec": grammar("a:"),
    "env": grammar("u: C: a: unset: chdir: argv0: help. version.", flags="assigns"),
    "sudo": grammar(_SUDO, flags="assigns reads"),
    "doas": grammar("u: C:", flags="reads"),
    "pkexec": grammar("u: user:", flags="reads"),
    "gosu": grammar(skip=1),
    "su-exec": grammar(skip=1),
    "setuidgid": grammar(skip=1),
    "runuser": grammar(f"u: user: {_SU}", flags="reads"),
    "setpriv": grammar(
        "reuid: regid: ruid: euid: rgid: egid: groups: inh-caps: ambient-caps: bounding-set: "
        "securebits: pdeathsig: selinux-label: apparmor-profile: landlock-access: landlock-rule: ptracer:"
    ),
    "nice": grammar("n: adjustment:"),
    "ionice": grammar("c: n: class: classdata: p. pid. P. u."),
    "chrt": grammar("T: P: D: sched-runtime: sched-period: sched-deadline: p. pid. m. max.", 1),
    "taskset": grammar("p. pid.", 1),
    "cpulimit": grammar("l: limit: p: pid: e: exe: P: path: c: cpu:"),
    "numactl": grammar(
        "N: m: C: i: p: w: cpunodebind: membind: physcpubind: interleave: preferred: preferred-many: "
        "localalloc. weighted-interleave: balancing."
    ),
    "prlimit": grammar("p. pid. o: output:"),
    "softlimit": grammar("a: c: d: f: l: m: o: p: r: s: t:"),
    "chpst": grammar("u: U: b: e: m: d: o: p: f: c: r: t: s: l: L: n: /:"),
    "envdir": grammar(skip=1),
    "setlock": grammar(skip=1),
    "timeout": grammar("k: s: kill-after: signal:", 1),
    "stdbuf": grammar("i: o: e: input: output: error:"),
    "setarch": grammar(
        "p: pid:", optional=r"x86_64|i[3-6]86|linux(?:32|64)|amd64|aarch64|arm\w*|ppc\w*|s390x?|mips\w*"
    ),
    "arch": grammar("d: e:"),
    "chroot": grammar("userspec: groups:", 1, flags="reads"),
    "unshare": grammar(
        f"{_NAMESPACES} map-user: map-users: map-group: map-groups: propagation: setgroups: monotonic: "
        "boottime: load-interp: l:",
        flags="reads",
    ),
    "nsenter": grammar(f"t: target: {_NAMESPACES} W: wdns: N: net-socket:", flags="reads"),
    "flock": grammar("w: timeout: E: conflict-exit-code: c! command!", 1, flags="mixed"),
    "logsave": grammar(skip=1),
    "faketime": grammar("p: exclude-monotonic.", 1),
    "rlwrap": grammar(
        "b: C: D: e: f: g: H: l: m: O: p: P: q: s: S: t: w: z: file: history-filename: filter: "
        "prompt-colour: pre-given: remember-size: substitute-prompt: histsize: only-cook: logfile:"
    ),
    "strace": grammar(
        "a: b: e: E: I: o: O: p: P: s: S: u: U: X: output: env: user: trace: attach: trace-path: "
        "columns: string-limit: summary-sort-by: const-print-style: interruptible: status: signal: "
        "detach-on: inject: fault: kvm: quiet: abbrev: verbose: raw: read: write: summary-columns:"
    ),
    "ltrace": grammar("a: A: D: e: F: l: n: o: p: s: u: w: x: output: config: library: where:"),
    "perf stat": grammar(
        "e: event: p: pid: r: repeat: o: output: C: cpu: x: d: I: interval-print:", flags="kept"
    ),
    "perf record": grammar(
        "e: event: p: pid: o: output: F: freq: C: cpu: c: count: k: call-graph:", flags="kept"
    ),
    "perf trace": grammar("e: expr: p: pid: o: output:", flags="kept"),
    "proxychains": grammar("f:"),
    "proxychains4": grammar("f:"),
    "fakeroot": grammar("l: s: i: b: lib: faked: fd-base:", flags="reads"),
    "xvfb-run": grammar(
        "e: f: n: p: s: w: error-file: auth-file: server-num: server-args: wait: xauth-protocol:"
    ),
    "dbus-run-session": grammar("config-file: dbus-daemon:"),
    "systemd-run": grammar(
        "p: u: H: M: property: unit: description: slice: uid: gid: nice: working-directory: E: setenv: "
        "on-active: on-boot: on-startup: on-unit-active: on-unit-inactive: on-calendar: timer-property: "
        "path-property: socket-property: service-type: host: machine: job-mode: background:"
    ),
    "systemd-inhibit": grammar("what: who: why: mode: list."),
    "caffeinate": grammar("t: w:"),
    "sshpass": grammar("p: f: d: P:"),
    "cgexec": grammar("g:"),
    "aa-exec": grammar("p: profile: n: namespace:"),
    "runcon": grammar("t: u: r: l: type: user: role: range:", optional=r"[^:]+(?::[^:]+){2,}"),
    "sandbox-exec": grammar("f: n: p: D:"),
    "tini": grammar("p: e:"),
    "ld.so": grammar(
        "library-path: preload: audit: argv0: inhibit-rpath: glibc-hwcaps-prepend: list. verify."
    ),
    "xargs": grammar(
        "a: d: E: I: L: n: P: s: arg-file: delimiter: max-args: max-procs: max-chars: process-slot-var:"
    ),
    "newgrp": grammar(skip=1, flags="reads"),
    "daemonize": grammar("a: c: e: E: o: p: l: u:"),
    "daemon": grammar("n: name: u: user: o: output: O: stdout: E: stderr: D: chdir: F: pidfile: P: p: f. r."),
}
"""Programs that take the words behind their own as a command, which is looked at in their place."""

SHELLED = {
    "su": grammar(_SU, skip=99, flags="mixed reads"),
    "sg": grammar("c!", 1, flags="mixed joined reads"),
    "watch": grammar("n: interval: q: equexit: shotsdir:", flags="joined"),
    "ssh": grammar(
        "B: b: c: D: E: e: F: I: i: J: L: l: m: O: o: p: Q: R: S: W: w: P:",
        1,
        flags="mixed joined kept reads",
    ),
    "script": grammar(
        "c! command! E: echo: I: log-in: O: log-out: B: log-io: T: log-timing: m: o:", 99, flags="mixed"
    ),
    "hyperfine": grammar(
        "w: warmup: m: min-runs: M: max-runs: r: runs: s! setup! p! prepare! c! cleanup! conclude! "
        "export-json: export-csv: export-markdown: P: L: parameter-list: S: shell: n: command-name: u:",
        flags="joined",
    ),
    "entr": grammar(flags="joined"),
    "vagrant ssh": grammar("c! command!", 99, flags="mixed"),
    "adb shell": grammar("e: s: t:", flags="joined"),
    "tmux run-shell": grammar("d: t: c:", flags="joined kept"),
    "tmux run": grammar("d: t: c:", flags="joined kept"),
    "tmux new-session": grammar("c: e: F: n: s: t: x: y: f:", flags="joined kept"),
    "tmux new": grammar("c: e: F: n: s: t: x: y: f:", flags="joined kept"),
    "tmux new-window": grammar("c: e: F: n: t:", flags="joined kept"),
    "tmux split-window": grammar("c: e: F: l: p: t:", flags="joined kept"),
    "npx": grammar("c! call! p: package: w: workspace:", flags="kept"),
    "npm exec": grammar("c! call! p: package: w: workspace:", flags="kept"),
    "npm x": grammar("c! call! p: package: w: workspace:", flags="kept"),
}
"""Programs that give what they run to a shell."""
