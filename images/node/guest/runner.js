// The waiting interpreter: read the code from standard input to its end, then run it as the main module.
// One byte on descriptor 3 says that it waits.
'use strict';

const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const NAME = path.join(process.cwd(), 'main.js');
const ADDRESS = pathToFileURL(NAME).href;
const MARKS = 4;
const TEXT = 5;
const MOST_LINES = 5000;
const EVERY = 1000; // milliseconds

// Starts to count which parts of the code run, where the supervisor has a table for that: see lines.pl.
function startCounting() {
  try {
    if (!fs.fstatSync(MARKS).isFile() || !fs.fstatSync(TEXT).isFile()) return null;
  } catch {
    return null;
  }
  const table = fs.openSync(`/proc/self/fd/${MARKS}`, 'r+');
  for (const one of [MARKS, TEXT]) fs.closeSync(one);
  const { Session } = require('node:inspector');
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return { table, session };
}

// Returns where each line that says anything begins, in order: its number and the place of its first character.
function placesOf(code) {
  const places = [];
  let start = 0;
  code.split('\n').slice(0, MOST_LINES).forEach((line, index) => {
    if (!/^\s*($|\/\/|[\])};,\s]*$)/.test(line)) places.push([index + 1, start + line.search(/\S/)]);
    start += line.length + 1;
  });
  return places;
}

// Returns the first of the places that is not before an offset.
function firstFrom(places, offset) {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle][1] < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Adds how often each line ran since the last time; V8 then counts anew. Inner ranges follow outer ones.
function add(sums, places, functions) {
  const counts = new Float64Array(places.length);
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) {
      counts.fill(count, firstFrom(places, startOffset), firstFrom(places, endOffset));
    }
  }
  places.forEach(([line], index) => { sums[line] = Math.min(0xffffffff, sums[line] + counts[index]); });
}

function count(code, { table, session }) {
  const places = placesOf(code);
  const last = places.length ? places[places.length - 1][0] : 0;
  const sums = new Float64Array(1 + 2 * last);
  sums[0] = last;
  const take = () => session.post('Profiler.takePreciseCoverage', (error, taken) => {
    const own = error ? null : taken.result.find((script) => script.url === ADDRESS);
    if (!own) return;
    add(sums, places, own.functions);
    const bytes = Buffer.from(Uint32Array.from(sums).buffer);
    fs.writeSync(table, bytes, 0, bytes.length, 0);
  });
  setInterval(take, EVERY).unref();
  process.on('exit', take);
}

function waitForCode() {
  fs.writeSync(3, '.');
  fs.closeSync(3);
  const code = fs.readFileSync(0, 'utf8');
  fs.closeSync(0);
  fs.openSync('/dev/null', 'r');
  return code;
}

// Does once what comes before the first output, into nothing: its code is then compiled, and its pages are in memory.
function rehearse() {
  const { Console } = require('node:console');
  const { Writable } = require('node:stream');
  const nothing = new Writable({ write: (chunk, encoding, done) => done() });
  const out = new Console({ stdout: nothing, stderr: nothing });
  out.log('%s', 'a', 1, { a: [1, 'x'] });
  for (const one of [process.stdout, process.stderr]) one.write('');
  const none = fs.openSync('/dev/null', 'r');
  placesOf(fs.readFileSync(none, 'utf8') + 'a\n');
  fs.closeSync(none);
  clearInterval(setInterval(() => {}, EVERY).unref());
}

const main = new Module(NAME, null);
main.filename = NAME;
main.paths = Module._nodeModulePaths(process.cwd());
process.argv = [process.argv[0], NAME];
// What the first statement of most programs would otherwise have to set up.
void [process.stdout, process.stderr, console.log];
rehearse();
const counting = startCounting();
new Module('warm.js', null)._compile('0', 'warm.js');
const code = waitForCode();
process.mainModule = main;
require.main = main;
if (counting) count(code, counting);
main._compile(code, NAME);
