// `npm run sbom [-- <file>]`: a CycloneDX bill of what is installed with the package: its dependencies and theirs, nothing of development.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name, version, dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const target = resolve(process.argv[2] ?? join(root, '.cache', `${name}-${version}.cdx.json`));

const npm = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
if (npm.status !== 0) {
  process.stderr.write(npm.stderr);
  process.exit(npm.status ?? 1);
}
const bill = JSON.parse(npm.stdout);
const own = `${name}@${version}`;

// Not `--omit dev`: npm also leaves out what a development dependency needs as well, which here is most of it.
const direct = Object.entries({ ...dependencies, ...optionalDependencies }).map(([one, exact]) => `${one}@${exact}`);
const edges = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
const installed = new Set();
for (const queue = [...direct]; queue.length > 0; ) {
  const ref = queue.pop();
  if (installed.has(ref)) continue;
  installed.add(ref);
  const needs = edges.get(ref);
  if (needs === undefined) throw new Error(`${ref} is in package.json and not in node_modules. Run npm ci.`);
  queue.push(...needs);
}

// npm names the package after its folder.
bill.metadata.component.name = name;
bill.components = bill.components.filter((component) => installed.has(component['bom-ref']));
bill.dependencies = [{ ref: own, dependsOn: direct }, ...bill.dependencies.filter(({ ref }) => installed.has(ref))];
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, `${JSON.stringify(bill, null, 2)}\n`);
process.stdout.write(`${target}: ${bill.components.length} packages\n`);
