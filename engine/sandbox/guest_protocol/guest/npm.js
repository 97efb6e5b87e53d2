// Finds or installs packages with npm, which lies in the workspace. ORDER stands before this: the registry, what npm is
// to find in its folder, the layer to fill, and the packages whose install scripts may run.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const WORKSPACE = '/workspace';
const FOLDER = ORDER.layer ? `${ORDER.layer}/.building` : `${WORKSPACE}/looking`;
const OPTIONS = [
  '--registry', ORDER.registry, '--cache', `${WORKSPACE}/cache`, '--userconfig', `${WORKSPACE}/user`,
  '--globalconfig', `${WORKSPACE}/global`, '--omit', 'dev', '--no-audit', '--no-fund', '--no-update-notifier',
  '--fetch-retries', '1', '--fetch-timeout', '30000', '--loglevel', 'error', '--logs-max', '0',
];
const ENVIRONMENT = { ...process.env, HOME: WORKSPACE, TMPDIR: `${WORKSPACE}/tmp` };

class Failed extends Error {}

function npm(...words) {
  const done = spawnSync(process.execPath, [`${WORKSPACE}/npm/bin/npm-cli.js`, ...words, ...OPTIONS], {
    cwd: FOLDER, env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'], maxBuffer: 2 ** 24,
  });
  if (done.status !== 0) throw new Failed(reason(String(done.stderr || done.error)));
}

function reason(said) {
  const lines = said.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim());
  const told = lines.filter((line) => line && !/^(code |errno |syscall |A complete log|Log files)/.test(line));
  return told[0] || 'npm said nothing';
}

function settle(from, to) {
  for (const name of fs.readdirSync(from)) {
    const [old, now] = [path.join(from, name), path.join(to, name)];
    if ((name.startsWith('@') || name === '.bin') && fs.existsSync(now)) {
      settle(old, now);
    } else {
      fs.rmSync(now, { recursive: true, force: true });
      fs.renameSync(old, now);
    }
  }
}

function size(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).reduce((sum, one) => {
    const place = path.join(folder, one.name);
    return sum + (one.isDirectory() ? size(place) : fs.lstatSync(place).size);
  }, 0);
}

// What npm leaves out as it installs: what is optional, and made for other machines.
function fits(entry) {
  const { checkPlatform } = require(`${WORKSPACE}/npm/node_modules/npm-install-checks`);
  try {
    if (entry.optional) checkPlatform(entry, false);
    return true;
  } catch {
    return false;
  }
}

function lookUp() {
  npm('install', '--ignore-scripts', '--package-lock-only');
  const tree = JSON.parse(fs.readFileSync(`${FOLDER}/package-lock.json`, 'utf8'));
  const laid = Object.entries(tree.packages).filter(([place, entry]) => place && fits(entry));
  return JSON.stringify({ packages: Object.fromEntries(laid) });
}

function build() {
  npm('ci', '--ignore-scripts');
  if (ORDER.scripts.length) npm('rebuild', ...ORDER.scripts, '--dangerously-allow-all-scripts');
  const made = `${FOLDER}/node_modules`;
  const bytes = size(made);
  settle(made, ORDER.layer);
  fs.rmSync(FOLDER, { recursive: true, force: true });
  return `/node_modules ${bytes}\n`;
}

try {
  for (const folder of [FOLDER, ENVIRONMENT.TMPDIR]) fs.mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(ORDER.files)) {
    fs.writeFileSync(path.join(FOLDER, name), JSON.stringify(content));
  }
  process.stdout.write(ORDER.layer ? build() : lookUp());
} catch (error) {
  console.error(error instanceof Failed ? error.message : error);
  process.exitCode = 1;
}
for (const name of fs.readdirSync(WORKSPACE)) fs.rmSync(path.join(WORKSPACE, name), { recursive: true, force: true });
