// The official clients over HTTP, each with a server of its own.
import * as v2 from '@modelcontextprotocol/client';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'vitest';
import type { Revision } from 'vivarium';
import { createFetchHandler } from 'vivarium/serve/fetch';
import { createFeatures } from '../fixtures/features.mjs';
import { type AnyClient, type Peer, peerV1, peerV2 } from './clients.ts';
import { type Fetched, type ServedOptions, serveFixture, watchFetch } from './served.ts';

type Fixture = Parameters<typeof serveFixture>[0];

export interface HttpPeer extends Peer {
  readonly fetched: readonly Fetched[];
  /** Cuts the stream for what the server says by itself; it can be opened again once the function given back is called. */
  cut(): () => void;
}

/** A client that leaves aborts what is open, and reports that as an error. */
export const leaves = ({ name, message }: Error): boolean => name === 'AbortError' || message.includes('AbortError');

function forgiveLeaving({ client, errors }: Peer): void {
  client.onerror = (error: Error) => leaves(error) || errors.push(error);
}

export const overHttpV1 =
  (which: Fixture = 'features', options: ServedOptions = {}) =>
  async (revision: Revision): Promise<HttpPeer> => {
    const served = await serveFixture(which, options);
    const { fetch, fetched, listening, cut } = watchFetch();
    const transport = new StreamableHTTPClientTransport(new URL(served.url), { fetch });
    const peer = await peerV1(revision, transport);
    await listening;
    const close = async (): Promise<void> => {
      forgiveLeaving(peer);
      await transport.terminateSession();
      await peer.client.close();
      await served.end();
      // Its version on every request after the handshake, and never anything but what it asked for.
      expect(fetched.slice(1).every(({ headers }) => headers['mcp-protocol-version'] === revision)).toBe(true);
      expect(fetched.filter(({ status }) => status >= 300)).toEqual([]);
      expect(fetched.at(-1)).toMatchObject({ method: 'DELETE', status: 204 });
    };
    return { ...peer, close, fetched, cut };
  };

export const overSse =
  (which: Fixture = 'features', options: ServedOptions = {}) =>
  async (revision: Revision): Promise<HttpPeer> => {
    const served = await serveFixture(which, { ...options, endpoint: { sse: true, ...options.endpoint } });
    const { fetch, fetched, cut } = watchFetch();
    const peer = await peerV1(revision, new SSEClientTransport(new URL('/sse', served.url), { fetch }));
    const close = async (): Promise<void> => {
      forgiveLeaving(peer);
      await peer.client.close();
      await served.end();
      expect(fetched.filter(({ method, status }) => method === 'POST' && status !== 202)).toEqual([]);
    };
    return { ...peer, close, fetched, cut };
  };

export const overHttpV2 =
  (which: Fixture = 'features', options: ServedOptions = {}) =>
  async (revision: Revision): Promise<HttpPeer> => {
    const served = await serveFixture(which, options);
    const { fetch, fetched, listening, cut } = watchFetch();
    const transport: AnyClient = new v2.StreamableHTTPClientTransport(new URL(served.url), { fetch });
    const peer = await peerV2(revision, transport);
    const modern = revision === '2026-07-28';
    if (!modern) await listening;
    const close = async (): Promise<void> => {
      forgiveLeaving(peer);
      if (!modern) await transport.terminateSession();
      await peer.client.close();
      await served.end();
      expect(fetched.filter(({ status }) => status >= 300)).toEqual([]);
      if (!modern) return;
      expect(new Set(fetched.map(({ method }) => method))).toEqual(new Set(['POST']));
      expect(fetched.every(({ headers }) => headers['mcp-protocol-version'] === revision && headers['mcp-session-id'] === undefined)).toBe(
        true,
      );
    };
    return { ...peer, close, fetched, cut };
  };

/** Without a socket: the client fetches from a function of this process. */
export const overFetch =
  (line: 'v1' | 'v2') =>
  async (revision: Revision): Promise<Peer> => {
    const handler = createFetchHandler(createFeatures(), { allowedHosts: ['vivarium.test'] });
    let opened: () => void = () => undefined;
    const listening = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const statuses: number[] = [];
    const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const answer = await handler(new Request(url, init));
      statuses.push(answer.status);
      if (init?.method === 'GET' && answer.status === 200) opened();
      return answer;
    };
    const Transport: AnyClient = line === 'v1' ? StreamableHTTPClientTransport : v2.StreamableHTTPClientTransport;
    const transport = new Transport(new URL('http://vivarium.test/mcp'), { fetch });
    const peer = await (line === 'v1' ? peerV1 : peerV2)(revision, transport);
    if (revision !== '2026-07-28') await listening;
    const close = async (): Promise<void> => {
      forgiveLeaving(peer);
      await transport.terminateSession();
      await peer.client.close();
      await handler.close();
      expect(statuses.filter((status) => status >= 300)).toEqual([]);
    };
    return { ...peer, close };
  };
