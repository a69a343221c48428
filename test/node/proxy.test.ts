// The environment's word on proxies, for one address after the other.
import { describe, expect, it } from 'vitest';
import { ProxyMistake, proxyFor } from '../../src/node/proxy.ts';

const both = { HTTP_PROXY: 'http://plain.example:3128', HTTPS_PROXY: 'https://secure.example' };
const proxied = (url: string, environment: Record<string, string>) => proxyFor(new URL(url), environment)?.name;

describe('proxyFor', () => {
  it('has one variable for each kind of address, and none stands in for the other', () => {
    expect(proxied('http://a.example/', both)).toBe('http://plain.example:3128');
    expect(proxied('https://a.example/', both)).toBe('https://secure.example');
    expect(proxied('https://a.example/', { HTTP_PROXY: 'http://plain.example' })).toBeUndefined();
    expect(proxied('http://a.example/', {})).toBeUndefined();
  });

  it('reads small letters first, and takes an empty value for none', () => {
    expect(proxied('http://a.example/', { ...both, http_proxy: 'small.example' })).toBe('http://small.example');
    expect(proxied('http://a.example/', { ...both, http_proxy: '' })).toBeUndefined();
  });

  it('does not believe HTTP_PROXY where whoever asks can set it', () => {
    expect(proxied('http://a.example/', { ...both, REQUEST_METHOD: 'GET' })).toBeUndefined();
    expect(proxied('http://a.example/', { http_proxy: 'small.example', REQUEST_METHOD: 'GET' })).toBe('http://small.example');
  });

  it.each([
    'localhost:3000',
    'LOCALHOST',
    'localhost.',
    '127.0.0.1',
    '127.3.2.1:80',
    '2130706433',
    '[::1]:3000',
    '0.0.0.0',
    '[::]:80',
    'a.localhost',
  ])('names none for %s, which is this machine', (host) => {
    expect(proxied(`http://${host}/mcp`, both)).toBeUndefined();
    expect(proxied(`https://${host}/mcp`, both)).toBeUndefined();
  });

  it('knows host, port, user and password, with what is escaped in them', () => {
    expect(proxyFor(new URL('http://a.example/'), { HTTP_PROXY: 'ann%40work:s%C3%A4%25@[::1]:8080' })).toEqual({
      secure: false,
      host: '::1',
      port: 8080,
      name: 'http://[::1]:8080',
      authorization: `Basic ${Buffer.from('ann@work:sä%').toString('base64')}`,
    });
  });

  it.each(['http://', 'socks5://ann:s3cret@proxy.example:1080', 'http://ann:s3cret@:1'])('refuses %s without repeating it', (value) => {
    const refused = () => proxyFor(new URL('http://a.example/'), { HTTP_PROXY: value });
    expect(refused).toThrow(ProxyMistake);
    expect(refused).not.toThrow(/s3cret/);
  });

  it.each([
    ['*', 'http://a.example/'],
    ['a.example', 'http://a.example/'],
    ['example', 'http://a.example/'],
    ['.example', 'http://A.example/'],
    ['*.example', 'http://a.example./'],
    ['b.example, a.example', 'http://a.example/'],
    ['b.example a.example', 'http://a.example/'],
    ['a.example:80', 'http://a.example/'],
    ['host', 'http://host:3000/'],
    ['192.0.2.1', 'http://192.0.2.1:3000/'],
    ['192.0.2.0/24', 'http://192.0.2.77/'],
    ['10.0.0.0/8,fd00::/8', 'http://[fd12::1]/'],
    ['[fd12::1]', 'http://[fd12::1]/'],
    ['fd12::1', 'http://[fd12::1]:3000/'],
    ['[fd12::1]:3000', 'http://[fd12::1]:3000/'],
  ])('NO_PROXY=%s leaves out %s', (list, url) => {
    expect(proxied(url, { ...both, NO_PROXY: list })).toBeUndefined();
    expect(proxied(url, { ...both, no_proxy: list, NO_PROXY: '' })).toBeUndefined();
  });

  it.each([
    ['', 'http://a.example/'],
    ['b.example', 'http://a.example/'],
    ['ample', 'http://a.example/'],
    ['a.example:8080', 'http://a.example/'],
    ['2.1', 'http://192.0.2.1/'],
    ['192.0.2.0/33', 'http://192.0.2.1/'],
    ['192.0.2.0/', 'http://192.0.2.1/'],
    ['10.0.0.0/8', 'http://192.0.2.1/'],
    ['.', 'http://a.example/'],
    ['localhost', 'http://192.0.2.1/'],
  ])('NO_PROXY=%s does not leave out %s', (list, url) => {
    expect(proxied(url, { ...both, NO_PROXY: list })).toBe('http://plain.example:3128');
  });
});
