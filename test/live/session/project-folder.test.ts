// The project's folder, where nobody but the client knows it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLive, type Live, type LiveOptions } from 'vivarium/live';
import { createTestClient, type TestClient, type TestClientOptions } from 'vivarium/testing';

let folder: string;
let project: string;
const revisions = ['2025-11-25', '2026-07-28'] as const;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'live-home-')));
  project = join(folder, 'pro ject');
  mkdirSync(project);
  writeFileSync(join(project, 'app.mjs'), 'export const answer = 42;\n');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function begin(options: LiveOptions = {}): Live {
  const live = createLive({ stateFolder: join(folder, 'state'), ...options });
  onTestFinished(() => live.close());
  return live;
}

async function visit(live: Live, options: TestClientOptions): Promise<TestClient> {
  const client = await createTestClient(live.server, options);
  onTestFinished(() => client.close());
  return client;
}

const naming = (...uris: string[]): NonNullable<TestClientOptions['handlers']> => ({ roots: () => uris.map((uri) => ({ uri })) });

async function evaluate(client: TestClient, code: string): Promise<string> {
  const { content } = await client.callTool('evaluate', { code });
  return content.map((one) => (one.type === 'text' ? one.text : '')).join('\n');
}

describe.each(revisions)('a client of %s', (revision) => {
  it('that names its root has its images there, and files of --load are found there', async () => {
    const live = begin({ load: ['app.mjs'] });
    const moved: string[] = [];
    live.onMove((to) => moved.push(to));
    const client = await visit(live, { revision, handlers: naming(`${pathToFileURL(project).href}/`) });
    expect(await evaluate(client, '[process.cwd(), app.answer]')).toContain(`[ '${project}', 42 ]`);
    expect([live.folder, moved]).toEqual([project, [project]]);
  });

  it('is asked once, and what it names later changes nothing', async () => {
    const live = begin();
    let asked = 0;
    const roots = () => [{ uri: pathToFileURL(asked++ === 0 ? project : folder).href }];
    const client = await visit(live, { revision, handlers: { roots }, replayCheck: false });
    await evaluate(client, '1');
    const first = asked;
    await client.callTool('sessions', { action: 'open' });
    expect(await evaluate(client, 'process.cwd()')).toContain(project);
    expect([first, asked]).toEqual([1, 1]);
  });

  it.each([
    ['is no folder', () => pathToFileURL(join(project, 'app.mjs')).href],
    ['is not there', () => pathToFileURL(join(folder, 'nowhere')).href],
    ['is no file', () => 'https://example.com/project'],
    ['is of another machine', () => 'file://elsewhere/srv/project'],
    ['cannot be read', () => 'file:///%zz'],
  ])('whose first root %s has the next one', async (_, bad) => {
    const live = begin();
    const client = await visit(live, { revision, handlers: naming(bad(), pathToFileURL(project).href) });
    expect(await evaluate(client, 'process.cwd()')).toContain(project);
  });

  it('whose roots are of no use, or that has none, works where the server was started', async () => {
    for (const handlers of [naming(), naming('file:///nowhere/at/all'), {}]) {
      const live = begin();
      const client = await visit(live, { revision, handlers });
      expect(await evaluate(client, 'process.cwd()')).toContain(`'${process.cwd()}'`);
      expect(live.folder).toBe(process.cwd());
    }
  });

  it('is not asked where the folder was said, or where there are several clients', async () => {
    for (const options of [{ cwd: project }, { single: false }]) {
      let asked = 0;
      const roots = () => {
        asked++;
        return [{ uri: pathToFileURL(folder).href }];
      };
      const client = await visit(begin(options), { revision, handlers: { roots } });
      expect(await evaluate(client, 'process.cwd()')).not.toContain(`'${folder}'`);
      expect(asked).toBe(0);
    }
  });
});

it('A client that promises roots and never answers is not waited for', async () => {
  const live = begin();
  const client = await visit(live, { revision: '2025-11-25', handlers: { roots: () => new Promise<never>(() => undefined) } });
  expect(await evaluate(client, 'process.cwd()')).toContain(`'${process.cwd()}'`);
});

it('A client that fails to answer for its roots works where the server was started', async () => {
  const live = begin();
  const roots = () => {
    throw new Error('no roots today');
  };
  const client = await visit(live, { revision: '2025-11-25', handlers: { roots } });
  expect(await evaluate(client, 'process.cwd()')).toContain(`'${process.cwd()}'`);
});
