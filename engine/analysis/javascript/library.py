"""The standard library: modules, their loaders, and the sources of data."""

from __future__ import annotations

from engine.analysis.javascript.values import JavaScriptValue

GLOBALS = ("globalThis", "global", "window", "self", "top", "frames", "GLOBAL", "root")
MODULES = {
    "fs/promises": "fs.promises", "fs-extra": "fs", "graceful-fs": "fs", "fs-jetpack": "fs", "mz/fs": "fs",
    "mz/child_process": "child_process", "child-process-promise": "child_process",
    "timers/promises": "timers",
    "stream/promises": "stream", "dns/promises": "dns", "path/posix": "path", "util/types": "util",
}  # fmt: skip
BY_CONVENTION = {
    "child_process": "child_process", "childProcess": "child_process", "ChildProcess": "child_process",
    "cp": "child_process", "fs": "fs", "fse": "fs", "http": "http", "https": "https", "net": "net",
    "os": "os",
    "vm": "vm", "dns": "dns", "tls": "tls", "dgram": "dgram", "shelljs": "shelljs", "axios": "axios",
    "crypto": "crypto", "path": "path", "process": "process",
}  # fmt: skip
REQUIRES = frozenset({
    "require", "module.require", "process.mainModule.require", "require.main.require", "import",
    "module.createRequire()",
    "module.constructor._load", "module.Module._load", "module._load", "process.getBuiltinModule",
    "module.Module.createRequire()", "process.binding", "process._linkedBinding",
    "require.main.constructor._load",
    "module.constructor.createRequire()", "__non_webpack_require__", "mainModule.require",
})  # fmt: skip
CONNECTING = frozenset({
    "mongodb.MongoClient", "mongodb.MongoClient.connect", "mongoose.connect", "mongoose.createConnection",
    "pg.Client", "pg.Pool", "mysql.createConnection", "mysql.createPool", "mysql2.createConnection",
    "mysql2.createPool", "redis.createClient", "ioredis", "ioredis.Redis", "mssql.connect", "knex",
    "sequelize.Sequelize",
    "cassandra-driver.Client", "@elastic/elasticsearch.Client", "kafkajs.Kafka", "nats.connect",
    "node-ssh.NodeSSH", "ssh2-sftp-client", "basic-ftp.Client", "imap",
    "@octokit/rest.Octokit", "aws-sdk.S3", "aws-sdk.SES", "aws-sdk.SNS", "aws-sdk.SQS", "aws-sdk.DynamoDB",
    "@aws-sdk/client-s3.S3Client", "@google-cloud/storage.Storage", "twilio", "@slack/web-api.WebClient",
})  # fmt: skip
"""Functions and classes of libraries that connect to another machine: a new library is a new line."""
PASS_ON = frozenset({
    "Object.assign", "Object.freeze", "Object.create", "Proxy", "util.promisify", "promisify", "sinon.stub",
    "Object.seal",
    "Promise.resolve", "rewire", "proxyquire", "esmock", "structuredClone", "Object", "require.cache",
    "bluebird.promisifyAll", "Promise.promisifyAll", "pify",
})  # fmt: skip
_SOURCES = (
    ("fs.read", "file"), ("fs.promises.read", "file"), ("fs.createReadStream", "file"),
    ("fetch", "network"), ("http", "network"), ("https", "network"), ("http2", "network"),
    ("axios", "network"), ("got", "network"), ("node-fetch", "network"), ("XMLHttpRequest", "network"),
    ("request", "network"),
    ("needle", "network"), ("superagent", "network"), ("net", "network"), ("WebSocket", "network"),
    ("ws", "network"),
    ("undici", "network"), ("dgram", "network"), ("tls", "network"), ("os", "host"),
    ("dns.getServers", "host"),
    ("child_process", "output"), ("process.env", "env"), ("location", "input"), ("document.cookie", "secret"),
    ("localStorage", "secret"), ("sessionStorage", "secret"), ("electron.clipboard", "secret"),
    ("navigator.clipboard", "secret"), ("clipboardy", "secret"), ("keytar", "secret"),
)  # fmt: skip


FAMILIAR = frozenset({
    "eval", "Function", "setTimeout", "setInterval", "process", "require", "fetch", "atob", "btoa", "Buffer",
    "WebAssembly", "Worker", "XMLHttpRequest", "WebSocket", "module", "exports", "global", "globalThis",
    "String",
    "Array", "Object", "constructor",
})  # fmt: skip
"""Globals that are also reached through `this`."""
_CARRIERS = ("JSON.", "Buffer", "Object.", "String", "encodeURI", "btoa", "?.", "querystring", "zlib")


def module_path(name: str) -> str:
    """Return the path of a module: without `node:`, and wrappers as what they wrap."""
    plain = name.removeprefix("node:").removesuffix(".js") if name.startswith("node:") else name
    head, dot, tail = plain.partition(".")
    known = MODULES.get(plain) or MODULES.get(head)
    if known is None:
        return plain
    return known if plain in MODULES else f"{known}{dot}{tail}"


def shortened(path: str) -> str:
    """Return a path of at most eight parts."""
    return path if path.count(".") < 8 else ".".join(["?", *path.split(".")[-6:]])


def taints_of(path: str) -> frozenset[str]:
    """Return where the data of a path comes from."""
    sources = _BY_HEAD.get(_head(path))
    if sources is None:
        return frozenset()
    return frozenset(taint for prefix, taint in sources if _starts(path, prefix))


def _starts(path: str, prefix: str) -> bool:
    if not path.startswith(prefix):
        return False
    return len(path) == len(prefix) or path[len(prefix)] in ".(" or prefix.endswith(".read")


def _head(path: str) -> str:
    return path.partition(".")[0].partition("(")[0]


_BY_HEAD = {
    head: [source for source in _SOURCES if _head(source[0]) == head]
    for head in {_head(prefix) for prefix, _ in _SOURCES}
}


def carriers(path: str, args: list[JavaScriptValue]) -> tuple[JavaScriptValue, ...]:
    """Return the arguments that a call passes on: a serialised secret is a secret."""
    return tuple(args) if path.startswith(_CARRIERS) else ()
