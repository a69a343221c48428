// Authorization of 2025-03-26, where the server is its own authorization server.
import { within } from '../peer/connection.ts';
import type { HttpPeer } from '../peer/http.ts';

import type { Context } from '../probe.ts';
import { type Exchange, parseJson } from '../trace.ts';
import { brief, isRecord } from '../value.ts';

export async function olderAuthorization(peer: HttpPeer, { judge, url = '' }: Context): Promise<void> {
  const { origin, protocol } = new URL(url);
  const exchange = await reach(peer, 'GET', `${origin}/.well-known/oauth-authorization-server`);
  const document = parseJson(exchange.response?.body.toString('utf8') ?? '');
  const isServed = exchange.response?.status === 200 && isRecord(document);
  const status = exchange.response?.status;
  judge.verdict('authorization/metadata/served', isServed, `the well-known address gets HTTP ${status}`, [exchange]);
  if (isServed) {
    judge.kept('authorization/metadata/base-url', [exchange]);
    judge.inapplicable('authorization/metadata/default-paths-served', 'the server has metadata');
    const hasRegistration = typeof document['registration_endpoint'] === 'string';
    judge.verdict('authorization/registration/dynamic-served', hasRegistration, `the metadata are ${brief(document)}`, [exchange]);
    const endpoints = ['authorization_endpoint', 'token_endpoint'].map((name) => String(document[name] ?? ''));
    if (protocol === 'http:') judge.unsure('authorization/https', 'the server itself is reached without HTTPS');
    else
      judge.verdict(
        'authorization/https',
        endpoints.every((one) => one.startsWith('https:')),
        `the endpoints are ${brief(endpoints)}`,
        [exchange],
      );
  } else {
    judge.unsure('authorization/metadata/base-url', 'there are no metadata');
    const paths = await Promise.all(
      ['/authorize', '/token', '/register'].map((path) => reach(peer, path === '/authorize' ? 'GET' : 'POST', origin + path)),
    );
    const missing = paths.filter(({ response }) => response === undefined || response.status === 404);
    judge.verdict('authorization/metadata/default-paths-served', missing.length === 0, 'neither metadata nor the default paths', missing);
    judge.unsure('authorization/registration/dynamic-served', 'there are no metadata');
    judge.unsure('authorization/https', 'there are no metadata');
  }
  judge.unsure('authorization/redirect/validated', 'a registered client would be needed');
}

async function reach(peer: HttpPeer, method: string, url: string): Promise<Exchange> {
  const flow = peer.call(method, { url, headers: { accept: 'application/json' }, wild: true });
  await flow.head;
  await within(flow.end, 5_000);
  return flow.exchange;
}
