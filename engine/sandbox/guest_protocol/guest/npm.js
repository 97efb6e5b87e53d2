// Looks up or installs packages with the npm in the workspace. REQUEST is defined before this: the registry, the files
// for npm's folder, the layer to fill, and the places of the packages whose install scripts may run.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const WORKSPACE = '/workspace';
const FOLDER = REQUEST.layer ? `${REQUEST.layer}/.building` : `${WORKSPACE}/lookup`;
const OPTIONS = [
  '--registry', REQUEST.registry, '--cache', `${WORKSPACE}/cache`, '--userconfig', `${WORKSPACE}/user`,
  '--globalconfig', `${WORKSPACE}/global`, '--omit', 'dev', '--no-audit', '--no-fund', '--no-update-notifier',
  '--fetch-retries', '1', '--fetch-timeout', '30000', '--loglevel', 'error', '--logs-max', '0',
];
const ENVIRONMENT = { ...process.env, HOME: WORKSPACE, TMPDIR: `${WORKSPACE}/tmp` };

class NpmError extends Error {}

function npm(...args) {
  const result = spawnSync(process.execPath, [`${WORKSPACE}/npm/bin/npm-cli.js`, ...args, ...OPTIONS], {
    cwd: FOLDER, env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'], maxBuffer: 2 ** 24,
  });
  if (result.status !== 0) throw new NpmError(firstError(String(result.stderr || result.error)));
}

function firstError(stderr) {
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim());
  const errors = lines.filter((line) => line && !/^(code |errno |syscall |A complete log|Log files)/.test(line));
  return errors[0] || 'npm wrote no error';
}

function merge(from, to) {
  for (const name of fs.readdirSync(from)) {
    const [source, target] = [path.join(from, name), path.join(to, name)];
    if ((name.startsWith('@') || name === '.bin') && fs.existsSync(target)) {
      merge(source, target);
    } else {
      fs.rmSync(target, { recursive: true, force: true });
      fs.renameSync(source, target);
    }
  }
}

function size(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).reduce((sum, one) => {
    const file = path.join(folder, one.name);
    return sum + (one.isDirectory() ? size(file) : fs.lstatSync(file).size);
  }, 0);
}

// Returns whether npm would install a package: optional ones for other platforms are skipped.
function fits(entry) {
  const { checkPlatform } = require(`${WORKSPACE}/npm/node_modules/npm-install-checks`);
  try {
    if (entry.optional) checkPlatform(entry, false);
    return true;
  } catch {
    return false;
  }
}

// Returns the places below a package in which npm found packages that the lock does not have. An archive may bring
// them along; npm would take them for those of the same name, and Node.js would load them.
function unlistedPackages(place, locked) {
  const folder = path.join(FOLDER, place, 'node_modules');
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => !['.bin', '.package-lock.json'].includes(name));
  const scoped = (name) => (name.startsWith('@') ? fs.readdirSync(path.join(folder, name)).map((one) => `${name}/${one}`) : [name]);
  return names.flatMap(scoped).map((name) => path.join(place, 'node_modules', name))
    .flatMap((one) => (one in locked ? unlistedPackages(one, locked) : [one]));
}

function lookUp() {
  npm('install', '--ignore-scripts', '--package-lock-only');
  const tree = JSON.parse(fs.readFileSync(`${FOLDER}/package-lock.json`, 'utf8'));
  const entries = Object.entries(tree.packages).filter(([place, entry]) => place && fits(entry));
  return JSON.stringify({ packages: Object.fromEntries(entries) });
}

function build() {
  npm('ci', '--ignore-scripts');
  const unlisted = unlistedPackages('', REQUEST.files['package-lock.json'].packages);
  if (unlisted.length) throw new NpmError(`archives bring packages that the lock does not list: ${unlisted}`);
  const places = REQUEST.scripts.map((place) => `${FOLDER}/node_modules/${place}`);
  if (places.length) npm('rebuild', ...places, '--dangerously-allow-all-scripts');
  const installed = `${FOLDER}/node_modules`;
  const bytes = size(installed);
  merge(installed, REQUEST.layer);
  fs.rmSync(FOLDER, { recursive: true, force: true });
  return `/node_modules ${bytes}\n`;
}

try {
  for (const folder of [FOLDER, ENVIRONMENT.TMPDIR]) fs.mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(REQUEST.files)) {
    fs.writeFileSync(path.join(FOLDER, name), JSON.stringify(content));
  }
  process.stdout.write(REQUEST.layer ? build() : lookUp());
} catch (error) {
  console.error(error instanceof NpmError ? error.message : error);
  process.exitCode = 1;
}
for (const name of fs.readdirSync(WORKSPACE)) fs.rmSync(path.join(WORKSPACE, name), { recursive: true, force: true });
