// Preloaded into a server (NODE_OPTIONS=--import=…): SIGUSR2 collects all garbage and writes the memory in use to BENCH_HEAP_FILE.
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  collect();
  const file = process.env.BENCH_HEAP_FILE;
  const { heapUsed, rss } = process.memoryUsage();
  writeFileSync(`${file}.part`, JSON.stringify({ heapUsed, rss }));
  renameSync(`${file}.part`, file);
});
