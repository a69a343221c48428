// What does a user of the package install, how much of it does importing its server read, and how long does that take?
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { runScript } from '../load/children.mjs';
import { interleave } from '../measure/rounds.mjs';
import { pins } from '../peers.mjs';
import { bench, isBuilt, isChosen, ours } from '../targets.mjs';

const v2 = '@modelcontextprotocol';
const ourModules = [`${ours}/server`, `${ours}/serve/stdio`];

/** Case `whole`: server, HTTP and client together, as the verdict compares them. No `packages`: only the import is measured. */
const sets = [
  { name: ours, case: 'whole', packages: [ours], modules: ourModules },
  {
    name: 'sdk-v2',
    case: 'whole',
    packages: [`${v2}/server`, `${v2}/node`, `${v2}/client`, 'zod'],
    modules: [`${v2}/server`, `${v2}/node`, `${v2}/client`],
  },
  { name: ours, case: 'server', modules: ourModules },
  { name: ours, case: `import '${ours}/server'`, modules: [`${ours}/server`] },
  { name: 'sdk-v2', case: 'server', packages: [`${v2}/server`, 'zod'], modules: [`${v2}/server`, `${v2}/server/stdio`] },
  {
    name: 'sdk-v1',
    case: 'whole',
    packages: [`${v2}/sdk`, 'zod'],
    modules: [`${v2}/sdk/server/mcp.js`, `${v2}/sdk/server/streamableHttp.js`],
  },
  { name: 'sdk-v1', case: 'server', modules: [`${v2}/sdk/server/mcp.js`, `${v2}/sdk/server/stdio.js`] },
  { name: 'fastmcp', case: 'whole', packages: ['fastmcp', 'zod'], modules: ['fastmcp'] },
  {
    name: 'tmcp',
    case: 'whole',
    packages: ['tmcp', '@tmcp/adapter-zod', '@tmcp/transport-stdio', '@tmcp/transport-http', 'zod'],
    modules: ['tmcp', '@tmcp/adapter-zod', '@tmcp/transport-stdio'],
  },
  { name: 'mcp-lite', case: 'whole', packages: ['mcp-lite', 'zod'], modules: ['mcp-lite', 'zod'] },
  { name: 'bare', case: 'server', modules: ['node:http'] },
];

export async function install({ rounds, node, peers, verbose, ...run }) {
  const chosen = sets.filter((set) => isChosen(set.name, peers) && (set.name !== ours || isBuilt('server/index.js')));
  if (!isBuilt('server/index.js')) run.skip({ name: ours, kind: 'install' }, 'not built');
  const importAll = ({ name, modules }) => runScript({ name, node, verbose }, ['--input-type=module', '-e', importTimer(modules)], bench);
  const samples = await interleave(chosen, rounds, importAll, run);
  return chosen.map((set, index) => {
    run.say(`[${set.name}, ${set.case}] `);
    return {
      target: set.name,
      case: set.case,
      samples: { ...(set.packages && sizes(set.packages)), ...read(node, set.modules), ...samples[index] },
    };
  });
}

const importTimer = (modules) => `
  const start = performance.now();
  ${modules.map((name) => `await import(${JSON.stringify(name)});`).join('\n')}
  console.log(JSON.stringify({ import_ms: performance.now() - start, import_rss_mb: process.memoryUsage().rss / 1048576 }));`;

/** The files that importing these modules reads, counted and weighed. */
function read(node, modules) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'vivarium-bench-'));
  try {
    const log = path.join(folder, 'files');
    const hooks = path.join(bench, '../test/house/start-path');
    writeFileSync(log, '');
    const code = modules.map((name) => `await import(${JSON.stringify(name)});`).join('\n');
    execFileSync(node, ['--import', pathToFileURL(path.join(hooks, 'preload.mjs')).href, '--input-type=module', '-e', code], {
      cwd: bench,
      env: { ...process.env, LOADED_FILES: log },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const loaded = readFileSync(log, 'utf8')
      .split('\n')
      .filter((file) => file !== '' && !file.startsWith(hooks));
    const files = [...new Set(loaded)];
    const bytes = files.reduce((total, file) => total + statSync(file).size, 0);
    return { import_bytes: [bytes], import_files: [files.length] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs only these packages into an empty folder and weighs what arrived. */
function sizes(packages) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'vivarium-bench-'));
  try {
    const npm = (args, cwd) => execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] }).toString();
    const wanted = packages.map((name) => {
      if (name !== ours) return `${name}@${pins[name]}`;
      const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], path.join(bench, '..')));
      return path.join(folder, packed.filename);
    });
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
    npm(['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...wanted], folder);
    const kilobytes = Number(execFileSync('du', ['-sk', '--apparent-size', 'node_modules'], { cwd: folder }).toString().split('\t')[0]);
    const files = execFileSync('find', ['node_modules', '-type', 'f'], { cwd: folder }).toString().trim().split('\n').length;
    const lock = JSON.parse(readFileSync(path.join(folder, 'node_modules', '.package-lock.json'), 'utf8'));
    return { mb: [kilobytes / 1024], packages: [Object.keys(lock.packages).length], files: [files] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
