// The child processes of a run: started here, remembered, and ended (these and no others) when the run ends.
import { spawn } from 'node:child_process';

const notOfferedExitCode = 2;
const children = new Set();

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/** The child process of a target; `exited` resolves to an Error that tells why it ended. */
export function spawnTracked(target, extra = [], env = {}, stdin = 'ignore') {
  const [program, ...parameters] = target.command;
  const stdout = stdin === 'pipe' ? 'pipe' : 'ignore';
  const child = spawn(program, [...parameters, ...extra], {
    env: { ...process.env, ...target.env, ...env },
    stdio: [stdin, stdout, 'pipe'],
  });
  children.add(child);
  let complaint = '';
  child.stderr.on('data', (data) => {
    if (target.verbose) process.stderr.write(data);
    if (complaint.length < 4000) complaint += data;
  });
  const exited = new Promise((resolve) => {
    child.on('error', resolve);
    child.on('close', (code, signal) => {
      children.delete(child);
      resolve(new Error(reason(target, code, signal, complaint)));
    });
  });
  return { child, exited };
}

/** Runs a script on the given Node and returns the JSON it prints; fails with what it said on stderr. */
export async function runScript({ name, node, verbose }, parameters, cwd) {
  const command = [node, ...parameters];
  const child = spawn(command[0], command.slice(1), { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let output = '';
  let complaint = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.on('data', (data) => {
    if (verbose) process.stderr.write(data);
    complaint += data;
  });
  const [code, signal] = await new Promise((resolve) => child.on('close', (...ending) => resolve(ending)));
  children.delete(child);
  if (code !== 0) throw new Error(reason({ name, kind: '' }, code, signal, complaint));
  return JSON.parse(output);
}

function reason({ name, kind }, code, signal, complaint) {
  const lines = complaint.split('\n').filter((line) => line.trim() !== '');
  const said = lines.find((line) => /error/i.test(line)) ?? lines[0] ?? 'nothing on stderr';
  if (code === notOfferedExitCode) return said;
  return `${name} ${kind} ended (${signal ?? `exit code ${code}`}): ${said.trim().slice(0, 300)}`;
}
