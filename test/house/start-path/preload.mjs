// Writes the name of every file that Node loads to LOADED_FILES, and a line `answered` before the first answer is written.
import { appendFileSync } from 'node:fs';
import { Module, register } from 'node:module';

const log = (line) => appendFileSync(process.env.LOADED_FILES, `${line}\n`);

register('./hooks.mjs', import.meta.url);

// What require() loads does not pass through the hooks.
const { load } = Module.prototype;
Module.prototype.load = function (filename) {
  log(filename);
  return load.call(this, filename);
};

const { write } = process.stdout;
process.stdout.write = function (chunk, ...rest) {
  if (String(chunk).includes('"protocolVersion"')) log('answered');
  return write.call(this, chunk, ...rest);
};
