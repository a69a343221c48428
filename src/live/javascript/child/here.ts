// node --import vivarium/here app.js: the program can be worked in by `vivarium live --attach`, started in the same folder.
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { startBeside } from './beside.ts';
import { Keeper } from './keeper.ts';
import { startImage } from './main-thread.ts';

// Workers of the program inherit its --import.
if (isMainThread) {
  const folder = join(process.cwd(), '.vivarium');
  const listen = join(folder, `here-${process.pid}.sock`);
  // Only for the user who runs the program: whoever can open it can do everything the program can.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  rmSync(listen, { force: true });
  process.on('exit', () => rmSync(listen, { force: true }));
  startImage({ beside: startBeside(listen), listen, keeper: new Keeper() });
}
