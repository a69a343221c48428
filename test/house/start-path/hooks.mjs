// Module hooks of the start-path test: they run in a thread of their own and see every module that import loads.
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export async function load(url, context, nextLoad) {
  if (url.startsWith('file:')) appendFileSync(process.env.LOADED_FILES, `${fileURLToPath(url)}\n`);
  return nextLoad(url, context);
}
