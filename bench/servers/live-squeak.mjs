// `vivarium live` on Debian's Squeak, with the bridge the tests have: run with tsx.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLive } from 'vivarium/live';
import { serveStdio } from 'vivarium/serve/stdio';
import { squeakOn, writeBridged } from '../../test/live/languages/smalltalk/squeak/engine.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'bench-squeak-'));
const live = createLive({ engines: [squeakOn(writeBridged(folder))] });
await serveStdio(live.server, {
  onShutdown: async () => {
    await live.close();
    rmSync(folder, { recursive: true, force: true });
  },
});
