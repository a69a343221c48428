// The suites by name, each a question with a file of its own.
import { check } from './check.mjs';
import { client } from './client.mjs';
import { cold } from './cold.mjs';
import { command } from './command.mjs';
import { growth } from './growth.mjs';
import { http } from './http.mjs';
import { inproc } from './inproc.mjs';
import { install } from './install.mjs';
import { large } from './large.mjs';
import { live } from './live.mjs';
import { memory } from './memory.mjs';
import { shapes } from './shapes.mjs';
import { stdio } from './stdio.mjs';

/** `metric`: the figure by which targets are compared in the tables; lower is better for all of them. */
export const suites = {
  stdio: { run: stdio, metric: 'cpu_us' },
  inproc: { run: inproc, metric: 'cpu_us' },
  cold: { run: cold, metric: 'cpu_ms' },
  growth: { run: growth, metric: 'call_cpu_us' },
  shapes: { run: shapes, metric: 'cpu_us' },
  large: { run: large, metric: 'cpu_ms' },
  memory: { run: memory, metric: 'heap_kb_per_session' },
  http: { run: http, metric: 'cpu_us' },
  client: { run: client, metric: 'cpu_us' },
  command: { run: command, metric: 'cpu_ms' },
  check: { run: check, metric: 'ms' },
  live: { run: live, metric: 'ms' },
  install: { run: install, metric: 'import_ms' },
};
