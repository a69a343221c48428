// The proxy that the environment names: what goes through it, what it hears of it, and what a user hears when it does not work.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { http } from '../../src/connect/http.ts';
import { sse } from '../../src/connect/sse.ts';
import { certify } from './certificate.ts';
import { call, events, json, legacy, Peer, result, rude } from './fixture.ts';
import { distant, startProxy } from './proxy.ts';

afterEach(() => void vi.unstubAllEnvs());

const certificate = certify({ hosts: ['server.example'] });
const trusting = { tls: { ca: certificate.cert } };

async function secure(): Promise<string> {
  const server = createServer({ cert: certificate.cert, key: certificate.key }, (request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => json(response, result(JSON.parse(text).id)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `https://server.example:${(server.address() as AddressInfo).port}/mcp`;
}

const echoing = async () => {
  const { url, heard } = await rude(({ body }, response) => json(response, result(body.id)));
  return { url: distant(url), heard };
};

describe.each(['HTTP_PROXY', 'http_proxy'])('%s', (variable) => {
  it('gets the requests to http:// as curl would send them', async () => {
    const { url, heard } = await echoing();
    const proxy = await startProxy();
    vi.stubEnv(variable, `127.0.0.1:${proxy.port}`);
    const peer = await Peer.open(http(`${url}?a=b`));
    for (const id of [1, 2]) expect(await peer.ask({ id, ...call('echo') }, legacy)).toEqual(result(id));
    expect(proxy.asked).toEqual([`POST ${url}?a=b`, `POST ${url}?a=b`]);
    expect(proxy.closed).toHaveLength(1);
    expect(heard[0]).toMatchObject({ url: '/mcp?a=b', headers: { host: new URL(url).host } });
  });
});

describe.each(['HTTPS_PROXY', 'https_proxy'])('%s', (variable) => {
  it('makes a tunnel to https://, and reads nothing in it', async () => {
    const url = await secure();
    const proxy = await startProxy();
    vi.stubEnv(variable, `http://127.0.0.1:${proxy.port}/`);
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
    const peer = await Peer.open(http(url, trusting));
    for (const id of [1, 2]) expect(await peer.ask({ id, ...call('echo') }, legacy)).toEqual(result(id));
    expect(proxy.asked).toEqual([`CONNECT ${new URL(url).host}`]);
  });
});

describe('a proxy', () => {
  it('is asked for HTTP+SSE, too', async () => {
    const { url: near, heard } = await rude(({ method }, response) => {
      if (method === 'GET') events(response).write('event: endpoint\ndata: /post\n\n');
      else response.writeHead(202).end();
    });
    const url = distant(near);
    const proxy = await startProxy();
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`);
    const peer = await Peer.open(sse(url));
    peer.send({ method: 'notifications/x' });
    await vi.waitFor(() => expect(heard).toHaveLength(2), 60_000);
    expect(proxy.asked).toEqual([`GET ${url}`, `POST ${new URL('/post', url)}`]);
  });

  it('is passed by on the way to this machine', async () => {
    const { url } = await rude(({ body }, response) => json(response, result(body.id)));
    const proxy = await startProxy();
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`);
    expect(await (await Peer.open(http(url))).ask({ id: 1, ...call('echo') }, legacy)).toEqual(result(1));
    expect(proxy.asked).toEqual([]);
  });

  it.each(['http', 'https'])('gets the user and the password of its URL, and no message repeats them (%s)', async (scheme) => {
    const url = scheme === 'https' ? await secure() : (await echoing()).url;
    const proxy = await startProxy({ password: 'betty:s3cret/' });
    const variable = scheme === 'https' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
    vi.stubEnv(variable, `http://betty:s3cret%2F@127.0.0.1:${proxy.port}`);
    const peer = await Peer.open(http(url, trusting));
    expect(await peer.ask({ id: 1, ...call('echo') }, legacy)).toEqual(result(1));

    vi.stubEnv(variable, `http://betty:wr0ng@127.0.0.1:${proxy.port}`);
    const wrong = await (await Peer.open(http(url, trusting))).fails();
    expect(wrong).toMatchObject({ kind: 'network', unsent: true, cause: { code: 'ERR_PROXY_REFUSED' } });
    expect(wrong.message).toContain(`The proxy http://127.0.0.1:${proxy.port} refuses the way (407)`);
    expect(`${wrong.message} ${wrong.cause}`).not.toMatch(/betty|wr0ng/);
  });

  it.each(['http', 'https'])('that nobody answers for is named (%s)', async (scheme) => {
    vi.stubEnv(scheme === 'https' ? 'HTTPS_PROXY' : 'HTTP_PROXY', 'http://betty:s3cret@127.0.0.1:1');
    const failure = await (await Peer.open(http(`${scheme}://vivarium.invalid/mcp`))).fails();
    expect(failure).toMatchObject({ kind: 'network', unsent: true, cause: { code: 'ECONNREFUSED' } });
    expect(failure.message).toMatch(/^The proxy http:\/\/127\.0\.0\.1:1 cannot be reached: Nothing listens there/);
    expect(failure.message).not.toMatch(/betty|s3cret/);
  });

  it('that never answers is given up in time, and let go of when the channel is closed', async () => {
    const proxy = await startProxy({ mute: true });
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
    const failure = await (await Peer.open(http('https://vivarium.invalid/mcp', { connectMs: 50 }))).fails();
    expect(failure).toMatchObject({ kind: 'network', unsent: true, message: expect.stringContaining('No connection within 50 ms') });
    const peer = await Peer.open(http('https://vivarium.invalid/mcp'));
    peer.send({ id: 1, ...call('echo') }, legacy);
    await vi.waitFor(() => expect(proxy.asked).toHaveLength(2), 60_000);
    await peer.channel.close();
    await Promise.all(proxy.closed);
    expect(peer.failures).toEqual([]);
  });

  it('of a kind that cannot be used is a mistake of configuration', async () => {
    vi.stubEnv('HTTPS_PROXY', 'socks5://betty:s3cret@127.0.0.1:1080');
    const error = await http('https://vivarium.invalid/mcp')
      .open()
      .catch((why: unknown) => why);
    expect(error).toMatchObject({ code: 'ERR_CONFIG', message: expect.stringMatching(/^HTTPS_PROXY .*socks5:.*http:\/\//) });
    expect(String(error)).not.toMatch(/betty|s3cret/);
  });
});
