// Requests to authorization servers from behind a company's proxy.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createGuardedFetch } from '../../../src/auth/node/fetch.ts';
import { certify } from '../../connect/certificate.ts';
import { startProxy } from '../../connect/proxy.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Somewhere else, as the proxy sees it. */
async function distantServer(): Promise<string> {
  const { cert, key } = certify({ hosts: ['server.example'] });
  const server = createServer({ cert, key }, ({ method, headers }, response) => response.end(`${method} ${headers.host}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  return `https://server.example:${(server.address() as AddressInfo).port}/token`;
}

const finding = (address: string | undefined): never =>
  ((_host: string, _options: object, done: (error: Error | null, found: object[]) => void) =>
    address === undefined ? done(new Error('ENOTFOUND'), []) : done(null, [{ address, family: 4 }])) as never;

it.each([undefined, '93.184.216.34'])('go through the proxy, though the name is at %s here', async (address) => {
  const url = await distantServer();
  const proxy = await startProxy({ password: 'ann:s3cret' });
  vi.stubEnv('HTTPS_PROXY', `http://ann:s3cret@127.0.0.1:${proxy.port}`);
  const answer = await createGuardedFetch(finding(address))(url, { method: 'POST', body: 'x' });
  expect(await answer.text()).toBe(`POST ${new URL(url).host}`);
  expect(proxy.asked).toEqual([`CONNECT ${new URL(url).host}`]);
});

it('do not go where they may not, proxy or not', async () => {
  const url = await distantServer();
  const proxy = await startProxy();
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
  const inside = { code: 'ERR_AUTH_FAILED', message: expect.stringContaining('not asked') };
  await expect(createGuardedFetch(finding('10.0.0.1'))(url, {})).rejects.toMatchObject(inside);
  await expect(createGuardedFetch(finding(undefined))('https://10.0.0.1/token', {})).rejects.toMatchObject({ code: 'ERR_AUTH_FAILED' });
  expect(proxy.asked).toEqual([]);
});

it('are given up behind a proxy that never answers', async () => {
  const proxy = await startProxy({ mute: true });
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
  const abort = new AbortController();
  const asked = createGuardedFetch(finding(undefined))('https://server.example/token', { signal: abort.signal });
  const failed = expect(asked).rejects.toThrow('enough');
  await vi.waitFor(() => expect(proxy.asked).toHaveLength(1), 60_000);
  abort.abort(new Error('enough'));
  await failed;
  await Promise.all(proxy.closed);
});
