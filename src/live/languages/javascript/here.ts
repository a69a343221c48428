// node --import vivarium/here app.js: the program can be worked in by `vivarium live --attach`, started in the same folder.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { ownFolder } from '../../../node/own-folder.ts';
import { startImage } from '../../js-runtime/main-thread.ts';
import { startMonitorWorker } from '../../js-runtime/monitor-worker.ts';
import { ValueStore } from '../../js-runtime/value-store.ts';
import { compileEagerly } from './loader/eager.ts';
import { provideImports } from './loader/imports.ts';

// Workers of the program inherit its --import.
if (isMainThread) {
  const folder = join(process.cwd(), '.vivarium');
  try {
    // Only for the user who runs the program: whoever can open a socket in it can do everything the program can.
    ownFolder(folder);
    begin(join(folder, `here-${process.pid}.sock`));
  } catch (error) {
    // The program is not to blame, and runs without us.
    process.stderr.write(`vivarium/here: this program cannot be attached to: ${(error as Error).message}\n`);
  }
}

function begin(listen: string): void {
  rmSync(listen, { force: true });
  process.on('exit', () => rmSync(listen, { force: true }));
  compileEagerly();
  startImage({ beside: startMonitorWorker(listen), listen, keeper: new ValueStore(), provide: provideImports });
}
