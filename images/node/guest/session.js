// The interpreter of a sandbox that stays: runs one piece of code after the other in this very realm.
//
// In:   on descriptor 4 "SIZE\n" and the code. Out: on descriptor 3 one byte when it waits for the first time; then,
// after each execution, "STATUS SIZE\n" and what was shown as JSON. An execution is over when its code has ended and
// the promise that it returned is settled; what it left to timers goes on in the next one.
'use strict';

const fs = require('node:fs');
const Module = require('node:module');
const util = require('node:util');
const vm = require('node:vm');

const CODE = 4;
const WORD = 3;
const NAME = 'main.js';
const MOST_SHOWN = 1024 * 1024;

let held = Buffer.alloc(0);

function more() {
  return new Promise((resolve) => {
    const piece = Buffer.alloc(65536);
    fs.read(CODE, piece, 0, piece.length, null, (error, size) => {
      if (error || size === 0) process.exit(0);
      held = Buffer.concat([held, piece.subarray(0, size)]);
      resolve();
    });
  });
}

async function nextCode() {
  while (held.indexOf(10) < 0) await more();
  const start = held.indexOf(10) + 1;
  const end = start + Number(held.subarray(0, start - 1).toString());
  while (held.length < end) await more();
  const code = held.subarray(start, end).toString('utf8');
  held = held.subarray(end);
  return code;
}

function compiled(code) {
  try {
    return new vm.Script(code, { filename: NAME });
  } catch (error) {
    if (!/\bawait\b/.test(code)) throw error;
    return new vm.Script(`(async () => {${code}\n})()`, { filename: NAME });
  }
}

function interrupted() {
  let stop;
  const promise = new Promise((_, reject) => { stop = () => reject(new Error('interrupted')); });
  process.once('SIGINT', stop);
  return { promise, forget: () => process.removeListener('SIGINT', stop) };
}

async function execute(code) {
  const value = compiled(code).runInThisContext({ breakOnSigint: true, displayErrors: true });
  if (!(value instanceof Promise)) return value;
  const signal = interrupted();
  try {
    return await Promise.race([value, signal.promise]);
  } finally {
    signal.forget();
  }
}

function say(status, items) {
  const bytes = Buffer.from(JSON.stringify(items));
  const word = Buffer.concat([Buffer.from(`${status} ${bytes.length}\n`), bytes]);
  let done = 0;
  while (done < word.length) done += fs.writeSync(WORD, word, done);
}

async function serve() {
  for (;;) {
    const code = await nextCode();
    try {
      const value = await execute(code);
      const text = value === undefined ? '' : util.inspect(value).slice(0, MOST_SHOWN);
      say(0, text ? [{ mime: 'text/plain', data: text, final: true }] : []);
    } catch (error) {
      console.error(error);
      say(1, []);
    }
  }
}

globalThis.require = Module.createRequire(`${process.cwd()}/`);
process.argv = [process.argv[0], NAME];
process.on('SIGINT', () => {});
process.on('uncaughtException', (error) => console.error(error));
process.on('unhandledRejection', (error) => console.error(error));
void [process.stdout, process.stderr, console.log];
setInterval(() => {}, 2 ** 30);
fs.writeSync(WORD, '.');
serve();
