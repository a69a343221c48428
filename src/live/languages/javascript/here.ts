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
  const provide = (own: string, run: (work: () => Promise<unknown>) => void): void => {
    const imports = provideImports(own, run);
    // Two loaders of the same files would be in each other's way.
    if (!hasOtherLoader([...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/)])) imports.begin();
  };
  startImage({ beside: startMonitorWorker(listen), listen, keeper: new ValueStore(), provide });
}

/** Among the flags of Node, besides the one that brought us. */
function hasOtherLoader(flags: readonly string[]): boolean {
  const loading = flags.filter(
    (one, at) => /^(?:--import|--require|-r|--loader|--experimental-loader)(?:=|$)/.test(one) && !isOurs(one, flags[at + 1]),
  );
  return loading.length > 0;
}

function isOurs(flag: string, next = ''): boolean {
  const value = flag.includes('=') ? flag.slice(flag.indexOf('=') + 1) : next;
  return /(?:^vivarium\/here|\/here\.js)$/.test(value);
}
