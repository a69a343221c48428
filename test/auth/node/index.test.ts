// What a client takes from its machine: a file for tokens, a lock, a browser, and a place to come back to.
import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileTokens, loopbackRedirect, oauth } from 'vivarium/auth/node';
import { withLock } from '../../../src/node/lock.ts';
import { call, coded, createFakeResource, createFakeServer } from '../client-fixture.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vivarium-auth-'));
  return () => rm(folder, { recursive: true, force: true });
});

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('a file of tokens (A24)', () => {
  it('is for its owner only, in a folder for its owner only', async () => {
    const path = join(folder, 'a', 'b', 'tokens.json');
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    expect(await fileTokens(path).set('k', 'v', undefined)).toBe(true);
    expect([await modeOf(path), await modeOf(join(folder, 'a', 'b'))]).toEqual([0o600, 0o700]);
    expect(await readdir(join(folder, 'a', 'b'))).toEqual(['tokens.json']);
  });

  it('is where programs keep their state, unless its author says otherwise', async () => {
    vi.stubEnv('XDG_STATE_HOME', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const store = fileTokens();
    await store.set('k', 'v', undefined);
    await chmod(join(folder, 'vivarium'), 0o755);
    await store.set('k', 'w', 'v');
    expect([await modeOf(join(folder, 'vivarium')), await modeOf(join(folder, 'vivarium', 'tokens.json'))]).toEqual([0o700, 0o600]);
    vi.stubEnv('XDG_STATE_HOME', 'relative');
    vi.stubEnv('HOME', folder);
    await fileTokens().set('k', 'v', undefined);
    expect(await modeOf(join(folder, '.local', 'state', 'vivarium', 'tokens.json'))).toBe(0o600);
  });

  it('leaves a folder that was there as it is', async () => {
    await chmod(folder, 0o755);
    await fileTokens(join(folder, 'tokens.json')).set('k', 'v', undefined);
    expect(await modeOf(folder)).toBe(0o755);
  });

  it('is closed again when someone has opened it', async () => {
    const path = join(folder, 'tokens.json');
    await writeFile(path, '{"k":"v"}', { mode: 0o644 });
    expect(await fileTokens(path).get('k')).toBe('v');
    expect(await modeOf(path)).toBe(0o600);
  });

  it('is changed only by who knows what is in it', async () => {
    const path = join(folder, 'tokens.json');
    const [one, two] = [fileTokens(path), fileTokens(path)];
    expect(await one.get('k')).toBeUndefined();
    expect(await one.set('k', 'a', undefined)).toBe(true);
    expect(await two.set('k', 'b', undefined)).toBe(false);
    expect(await two.set('k', 'b', 'a')).toBe(true);
    expect(await one.set('k', undefined, 'a')).toBe(false);
    expect(await one.set('k', undefined, 'b')).toBe(true);
    expect(await two.get('k')).toBeUndefined();
  });

  it('loses nothing when many write at once, and is whole whenever it is read', async () => {
    const path = join(folder, 'tokens.json');
    const stores = Array.from({ length: 4 }, () => fileTokens(path));
    await fileTokens(path).set('first', 'v', undefined);
    let writing = true;
    let read = 0;
    const reading = (async () => {
      for (; writing; read++) JSON.parse(await readFile(path, 'utf8'));
    })();
    const results = await Promise.all(
      stores.flatMap((store, at) => [1, 2, 3].map((n) => store.set(`k${at}${n}`, 'v'.repeat(1_000), undefined))),
    );
    writing = false;
    await reading;
    expect(results).toEqual(Array(12).fill(true));
    expect(read).toBeGreaterThan(0);
    expect(Object.keys(JSON.parse(await readFile(path, 'utf8')))).toHaveLength(13);
    expect(await readdir(folder)).toEqual(['tokens.json']);
  });

  it.each(['', '{', '[]', 'null', '7', '{"k":7}'])('counts as empty if it holds %j', async (text) => {
    const path = join(folder, 'tokens.json');
    await writeFile(path, text);
    const store = fileTokens(path);
    expect(await store.get('k')).toBeUndefined();
    expect(await store.set('k', 'v', undefined)).toBe(true);
    expect(await store.get('k')).toBe('v');
  });

  it('holds an issuer and a resource in each key, and no token in any', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const path = join(folder, 'tokens.json');
    const { headless } = await import('../client-fixture.ts');
    await call(oauth({ redirect: headless(), tokens: fileTokens(path) }), endpoint);
    const keys = Object.keys(JSON.parse(await readFile(path, 'utf8')) as object);
    expect(keys.filter((key) => key.startsWith('["tokens"'))).toEqual([
      expect.stringContaining(JSON.stringify([server.issuer, endpoint]).slice(1, -1)),
    ]);
    expect(keys.join()).not.toContain('access-1');
  });
});

describe('a lock', () => {
  it('lets one in at a time, and is gone afterwards', async () => {
    const path = join(folder, 'x.lock');
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await stat(path);
      inside--;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(path, work)));
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is given back when the work fails', async () => {
    const path = join(folder, 'x.lock');
    await expect(withLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(path, async () => 'yes')).toBe('yes');
  });

  const host = () => import('node:os').then(({ hostname }) => hostname());
  it.each([
    ['of a process that is dead', async () => ({ text: JSON.stringify({ pid: 2 ** 22 + 1, host: await host() }), age: 0 })],
    [
      'of a process that has been silent for long',
      async () => ({ text: JSON.stringify({ pid: process.pid, host: await host() }), age: 61 }),
    ],
    ['of another machine that has been silent for long', async () => ({ text: JSON.stringify({ pid: 1, host: 'other' }), age: 61 })],
    ['that was never written', async () => ({ text: '', age: 11 })],
    ['that is not one', async () => ({ text: 'x', age: 11 })],
  ])('%s is taken away, by one', async (_, make) => {
    const { text, age } = await make();
    const path = join(folder, 'x.lock');
    await writeFile(path, text);
    const then = new Date(Date.now() - age * 1_000);
    await utimes(path, then, then);
    let inside = 0;
    const work = async (): Promise<number> => {
      const at = ++inside;
      await stat(path);
      inside--;
      return at;
    };
    expect(await Promise.all(Array.from({ length: 5 }, () => withLock(path, work)))).toEqual([1, 1, 1, 1, 1]);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['of another machine', { pid: 1, host: 'other' }],
    ['of this process', { pid: process.pid, host: 'here' }],
  ])('%s is respected for as long as anyone waits', async (_, holder) => {
    const path = join(folder, 'x.lock');
    await writeFile(path, JSON.stringify(holder));
    const work = vi.fn();
    await expect(withLock(path, work, AbortSignal.timeout(100))).rejects.toThrow();
    expect(work).not.toHaveBeenCalled();
    expect(await readFile(path, 'utf8')).toBe(JSON.stringify(holder));
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

async function get(port: number, path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, method, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, headers: response.headers, text });
    })
      .on('error', reject)
      .end();
  });
}

describe('coming back (A22)', () => {
  const url = new URL('https://as.example/authorize?client_id=c');
  const state = 'the-state';

  async function waiting(options: object = {}) {
    const port = await freePort();
    const opened: URL[] = [];
    let ready = (): void => undefined;
    const listening = new Promise<void>((resolve) => (ready = resolve));
    const openBrowser = (page: URL): boolean => {
      opened.push(page);
      ready();
      return true;
    };
    const controller = new AbortController();
    const redirect = loopbackRedirect({ port, openBrowser, ...options });
    const came = redirect.open(url, { signal: controller.signal, state });
    came.catch(() => undefined);
    await Promise.race([listening, came.catch(() => undefined)]);
    return { port, redirect, came, opened, controller };
  }

  it('is awaited on this machine only, once, and answered with a page that says nothing of what it was given', async () => {
    const { port, redirect, came, opened } = await waiting();
    expect([redirect.uri, opened]).toEqual([`http://127.0.0.1:${port}/callback`, [url]]);
    const answer = await get(port, `/callback?code=secret-code&state=${state}`);
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
      text: expect.stringContaining('You can close this page'),
    });
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.text).not.toContain('secret-code');
    expect((await came).toString()).toBe(`${redirect.uri}?code=secret-code&state=${state}`);
    await expect(get(port, `/callback?code=again&state=${state}`)).rejects.toThrow('ECONNREFUSED');
  });

  it('with an error is told to the client, and shows nothing of it', async () => {
    const { port, came } = await waiting();
    const description = encodeURIComponent('<script>alert(1)</script>');
    const { text } = await get(port, `/callback?error=access_denied&error_description=${description}&state=${state}`);
    expect(text).not.toMatch(/script|alert|denied/);
    expect(((await came) as URL).searchParams.get('error')).toBe('access_denied');
  });

  it('is not ended by anything else', async () => {
    const { port, came } = await waiting();
    const good = `/callback?code=c&state=${state}`;
    const strangers = [
      await get(port, '/'),
      await get(port, `/callback/x?code=c&state=${state}`),
      await get(port, `//evil.example/callback?code=c&state=${state}`),
      await get(port, good, { host: `evil.example:${port}` }),
      await get(port, good, { host: '127.0.0.1' }),
      await get(port, good, {}, 'POST'),
      await get(port, '/callback?code=c'),
      await get(port, '/callback?code=c&state=other'),
      await get(port, '/callback?error=%3Cscript%3E&state=other'),
    ];
    expect(strangers.map(({ status }) => status)).toEqual([404, 404, 404, 403, 403, 405, 400, 400, 400]);
    expect(strangers.map(({ text }) => text).join()).not.toContain('script');
    await get(port, good);
    expect((await came).toString()).toContain('code=c');
  });

  it('is awaited for a while', async () => {
    const { port, came } = await waiting({ timeoutMs: 50 });
    await expect(came).rejects.toEqual(coded('ERR_AUTH_REQUIRED', 'within 50 ms'));
    await expect(get(port, `/callback?code=late&state=${state}`)).rejects.toThrow('ECONNREFUSED');
  });

  it('is awaited until nobody wants it', async () => {
    const { port, came, controller } = await waiting();
    controller.abort(new Error('enough'));
    await expect(came).rejects.toThrow('enough');
    await expect(get(port, '/callback')).rejects.toThrow('ECONNREFUSED');
  });

  it('cannot be awaited where another program listens', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const opened = loopbackRedirect({ port, openBrowser: () => true }).open(url, { signal: new AbortController().signal, state });
    await expect(opened).rejects.toEqual(coded('ERR_AUTH_FAILED', `Port ${port} cannot be used`));
  });

  it('is awaited for one server after the other', async () => {
    const { port, came, opened } = await waiting();
    const pages: URL[] = [];
    const other = loopbackRedirect({
      port,
      openBrowser: (page) => {
        pages.push(page);
        void get(port, '/callback?code=second&state=other');
        return true;
      },
    });
    const second = other.open(new URL('https://other.example/authorize'), { signal: new AbortController().signal, state: 'other' });
    expect([opened.length, pages.length]).toEqual([1, 0]);
    await get(port, `/callback?code=first&state=${state}`);
    expect([String(await came), String(await second)]).toEqual([
      expect.stringContaining('code=first'),
      expect.stringContaining('code=second'),
    ]);
  });

  it.each([false, () => false, async () => false])('without a browser prints the address: %s', async (openBrowser) => {
    const lines: string[] = [];
    const port = await freePort();
    const printed = new Promise<void>((resolve) => {
      const print = (line: string): void => {
        lines.push(line);
        resolve();
      };
      const redirect = loopbackRedirect({ port, openBrowser, print });
      redirect.open(url, { signal: AbortSignal.timeout(20_000), state }).catch(() => undefined);
    });
    await printed;
    expect(lines).toEqual([`Open this address in a browser to go on:\n${url.href}`]);
    await get(port, `/callback?code=c&state=${state}`);
  });

  it.each([{ port: 0 }, { port: 1.5 }, { port: 70_000 }, { path: 'x' }, { path: '/a?b' }])(
    'needs a place that can be registered: %j',
    (options) => {
      expect(() => loopbackRedirect(options)).toThrow(coded('ERR_CONFIG') as Error);
    },
  );

  it('goes with everything else from the machine', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    vi.stubEnv('XDG_STATE_HOME', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const port = await freePort();
    const browser = async (page: URL): Promise<boolean> => {
      void fetch(page);
      return true;
    };
    expect(await call(oauth({ redirect: loopbackRedirect({ port, openBrowser: browser }) }), endpoint)).toBe('access-1-');
    expect(await modeOf(join(folder, 'vivarium', 'tokens.json'))).toBe(0o600);
  });
});

describe('a browser (A13)', () => {
  it('is started without a shell, with one address, and never for anything but a page', async () => {
    const spawn = vi.fn((_command: string, _args: readonly string[], _options: object) => ({
      once(event: string, listener: () => void) {
        if (event === 'spawn') queueMicrotask(listener);
        return this;
      },
      unref: () => undefined,
    }));
    vi.doMock('node:child_process', () => ({ spawn }));
    vi.resetModules();
    onTestFinished(() => {
      vi.doUnmock('node:child_process');
      vi.resetModules();
    });
    const { openBrowser } = await import('../../../src/auth/node/browser.ts');
    for (const platform of ['linux', 'darwin', 'win32']) {
      vi.spyOn(process, 'platform', 'get').mockReturnValueOnce(platform as NodeJS.Platform);
      expect(await openBrowser(new URL('https://x.example/$(calc)&calc;`id`|"x" y?a=%26b'))).toBe(true);
    }
    for (const [command, args, options] of spawn.mock.calls) {
      expect(['xdg-open', 'open', 'rundll32']).toContain(command);
      expect(args.at(-1)).toBe('https://x.example/$(calc)&calc;%60id%60|%22x%22%20y?a=%26b');
      expect(options).toMatchObject({ shell: false });
    }
    spawn.mockClear();
    for (const page of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'ms-settings:x']) {
      expect(await openBrowser(new URL(page))).toBe(false);
    }
    expect(spawn).not.toHaveBeenCalled();
  });

  it('that is not there is not one', async () => {
    vi.stubEnv('PATH', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.resetModules();
    const { openBrowser } = await import('../../../src/auth/node/browser.ts');
    expect(await openBrowser(new URL('https://x.example'))).toBe(false);
  });
});
