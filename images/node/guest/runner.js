// The waiting interpreter: read the code from standard input to its end, then run it as the main module.
// One byte on descriptor 3 says that it waits.
'use strict';

const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

const NAME = path.join(process.cwd(), 'main.js');

function waitForCode() {
  fs.writeSync(3, '.');
  fs.closeSync(3);
  const code = fs.readFileSync(0, 'utf8');
  fs.closeSync(0);
  fs.openSync('/dev/null', 'r');
  return code;
}

const main = new Module(NAME, null);
main.filename = NAME;
main.paths = Module._nodeModulePaths(process.cwd());
process.argv = [process.argv[0], NAME];
// What the first statement of most programs would otherwise have to set up.
void [process.stdout, process.stderr, console.log];
new Module('warm.js', null)._compile('0', 'warm.js');
const code = waitForCode();
process.mainModule = main;
require.main = main;
main._compile(code, NAME);
