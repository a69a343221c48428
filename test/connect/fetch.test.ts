// What is different with fetch: it is given, it hides redirects in a browser, and nothing of Node is needed.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { fetchHttp } from '../../src/connect/fetch.ts';
import { call, legacy, Peer, result } from './fixture.ts';

const answering = (answer: (init: RequestInit) => Response | Promise<Response>): typeof globalThis.fetch =>
  ((_url: string, init: RequestInit) => Promise.resolve().then(() => answer(init))) as typeof globalThis.fetch;

it('fetchHttp uses the fetch that it is given, with no headers of its own making', async () => {
  const seen: RequestInit[] = [];
  const fetch = answering((init) => {
    seen.push(init);
    return Response.json(result(1));
  });
  const peer = await Peer.open(fetchHttp('https://host.example/mcp', { fetch }));
  expect(await peer.ask({ id: 1, ...call('echo') }, legacy)).toEqual(result(1));
  expect(seen[0]).toMatchObject({ method: 'POST', redirect: 'manual' });
  expect(Object.keys(Object.fromEntries(seen[0]?.headers as [string, string][]))).toEqual([
    'content-type',
    'accept',
    'mcp-protocol-version',
  ]);
});

it('A20 fetchHttp follows no redirect where a browser hides it', async () => {
  const fetch = answering(() => Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' }));
  const peer = await Peer.open(fetchHttp('https://host.example/mcp', { fetch }));
  expect(await peer.fails()).toMatchObject({ kind: 'status', message: expect.stringContaining('redirects elsewhere') });
});

it('fetchHttp knows when nothing can have been sent, and else says nothing about it', async () => {
  const failing = (cause: object) =>
    answering(() => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('because'), cause) });
    });
  const told = async (cause: object) => (await Peer.open(fetchHttp('https://host.example/mcp', { fetch: failing(cause) }))).fails();
  expect(await told({ code: 'ECONNREFUSED' })).toMatchObject({ kind: 'network', unsent: true });
  expect(await told({ code: 'CERT_HAS_EXPIRED' })).toMatchObject({
    unsent: true,
    message: expect.stringMatching(/^TLS: the certificate has expired/),
  });
  expect(await told({ code: 'UND_ERR_SOCKET' })).toMatchObject({ kind: 'network', unsent: false });
  expect(await told({})).toMatchObject({ kind: 'network', unsent: false, message: 'because' });
});

it('fetchHttp needs nothing of Node', async () => {
  const entry = fileURLToPath(new URL('../../src/connect/fetch.ts', import.meta.url));
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    metafile: true,
  });
  expect(Object.keys(metafile.inputs).filter((path) => path.includes('node-'))).toEqual([]);
  expect(outputFiles[0]?.text).not.toMatch(/\bBuffer\b|\bprocess\./);
});
