// Certificates that cannot be trusted: each says in one line what is wrong with it, and nothing is sent to whoever shows it.
import { createServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHandler } from 'vivarium/serve/node';
import { fetchHttp } from '../../../src/connect/fetch.ts';
import { http } from '../../../src/connect/http.ts';
import { sse } from '../../../src/connect/sse.ts';
import { connect } from '../../../src/index.ts';
import type { Connector, NetworkReason } from '../../../src/protocol/channel.ts';
import { failureOf } from '../../client/rude.ts';
import { createEverything } from '../../fixtures/everything.mjs';
import { type Certificate, certify } from '../certificate.ts';
import { Peer } from '../fixture.ts';

const host = '127.0.0.1';
const authority = certify({ name: 'authority' });
const trusting = { tls: { ca: authority.cert } };

interface Served {
  readonly url: string;
  /** Bytes inside TLS, once every connection has ended. */
  heard(): Promise<number>;
}

/** A real server behind node:https. */
async function serve(certificate: Certificate): Promise<Served> {
  const handler = createNodeHandler(createEverything(), { allowedHosts: [host], drainMs: 0 });
  const server: HttpsServer = createServer({ cert: certificate.cert, key: certificate.key }, handler);
  let heard = 0;
  server.on('secureConnection', (socket) => {
    socket.on('data', (bytes: Uint8Array) => {
      heard += bytes.length;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(async () => {
    await handler.close();
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `https://${host}:${(server.address() as AddressInfo).port}/mcp`,
    async heard() {
      await new Promise((resolve) => server.close(resolve));
      return heard;
    },
  };
}

const bad: readonly (readonly [what: string, certificate: Certificate, cause: RegExp, reason: NetworkReason])[] = [
  [
    'that is signed by itself',
    certify({ hosts: [host] }),
    /^TLS: the certificate is signed by itself \(DEPTH_ZERO_SELF_SIGNED_CERT\b/,
    'untrusted-certificate',
  ],
  [
    'that has expired',
    certify({ hosts: [host], from: -2, until: -1, by: authority }),
    /^TLS: the certificate has expired \(CERT_HAS_EXPIRED\b/,
    'certificate-dates',
  ],
  [
    'that is not valid yet',
    certify({ hosts: [host], from: 1, until: 2, by: authority }),
    /^TLS: the certificate is not valid yet \(CERT_NOT_YET_VALID\b/,
    'certificate-dates',
  ],
  [
    'for another host',
    certify({ hosts: ['other.example'], by: authority }),
    /^TLS: the certificate is for another host \(ERR_TLS_CERT_ALTNAME_INVALID\b.*\b127\.0\.0\.1\b/,
    'certificate-name',
  ],
];

describe.each<[string, (url: string) => Connector, phase: string]>([
  ['http', (url) => http(url, trusting), 'probe'],
  ['sse', (url) => sse(url, trusting), 'open'],
])('%s, given a certificate', (_, connector, phase) => {
  it.each(bad)('%s, says so in one line and sends nothing', async (_what, certificate, cause) => {
    const { url, heard } = await serve(certificate);
    const error = await failureOf(connect(connector(url)));
    expect(error).toMatchObject({ code: 'ERR_CONNECT', failure: { phase, target: url, cause: expect.stringMatching(cause) } });
    expect(error.message).toContain(error.failure.cause);
    expect(error.message).not.toMatch(/[\r\n]/);
    expect(await heard()).toBe(0);
  });

  it('of an authority that it does not know, says so and sends nothing', async () => {
    const { url, heard } = await serve(certify({ hosts: [host], by: certify({ name: 'stranger' }) }));
    const error = await failureOf(connect(connector(url)));
    expect(error.failure).toMatchObject({ phase, cause: expect.stringMatching(/^TLS: the certificate cannot be verified/) });
    expect(await heard()).toBe(0);
  });
});

it.each(bad)('A channel knows that nothing went to a server with a certificate %s', async (_what, certificate, cause, reason) => {
  const { url } = await serve(certificate);
  const failure = await (await Peer.open(http(url, trusting))).fails();
  expect(failure).toMatchObject({ kind: 'network', reason, unsent: true, message: expect.stringMatching(cause) });
});

// Nothing tells fetch whom to trust: there, a certificate of this authority for another host is refused for its authority.
it.each(bad.filter(([, , cause]) => !/another/.test(cause.source)))(
  'fetchHttp says of a certificate %s the same, and sends nothing',
  async (_what, certificate, cause) => {
    const { url, heard } = await serve(certificate);
    const error = await failureOf(connect(fetchHttp(url)));
    expect(error).toMatchObject({ code: 'ERR_CONNECT', failure: { phase: 'probe', cause: expect.stringMatching(cause) } });
    expect(await heard()).toBe(0);
  },
);

describe('tls', () => {
  const self = certify({ hosts: [host] });

  it.each([
    ['a certificate that is signed by itself', self, self.cert],
    ['all certificates of an authority', certify({ hosts: [host], by: authority }), authority.cert],
    ['one of several', self, [authority.cert, self.cert]],
  ])('.ca makes %s trusted', async (_what, certificate, ca) => {
    const { url, heard } = await serve(certificate);
    const client = await connect(http(url, { tls: { ca } }));
    expect((await client.callTool('echo', { text: 'in confidence' })).content).toEqual([{ type: 'text', text: 'in confidence' }]);
    await client.close();
    expect(await heard()).toBeGreaterThan(0);
  });

  it('.ca does not mend what is wrong otherwise', async () => {
    for (const certificate of [certify({ hosts: [host], from: -2, until: -1 }), certify({ hosts: ['other.example'] })]) {
      const { url, heard } = await serve(certificate);
      const { failure } = await failureOf(connect(http(url, { tls: { ca: certificate.cert } })));
      expect(failure.cause).toMatch(/has expired|for another host/);
      expect(await heard()).toBe(0);
    }
  });

  it('.servername is the host that the certificate must be for', async () => {
    const { url } = await serve(certify({ hosts: ['other.example'], by: authority }));
    const tls = { ...trusting.tls, servername: 'other.example' };
    await using client = await connect(http(url, { tls }));
    expect(client.revision).toBe('2026-07-28');
  });
});
