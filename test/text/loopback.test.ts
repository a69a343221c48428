import { describe, expect, it } from 'vitest';
import { isLoopback, isLoopbackUrl } from '../../src/text/loopback.ts';

describe('isLoopback', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost:3000',
    'localhost.:3000',
    '127.0.0.1',
    '127.0.0.1:80',
    '127.255.0.7',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '::1',
    '[::1]',
    '[::1]:8080',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '[::ffff:127.0.0.1]:3000',
    '[::FFFF:7F00:1]',
  ])('takes %s for this machine', (host) => expect(isLoopback(host)).toBe(true));

  it.each([
    '',
    'localhost.evil.example',
    'localhost.evil.example:3000',
    'evil.localhost',
    'localhost-evil.example',
    'notlocalhost',
    '127.0.0.1.evil.example',
    '127.evil.example',
    '127.0.0.256',
    '127.0.0.1.1',
    '128.0.0.1',
    '0.0.0.0',
    '[::]',
    '[::2]',
    '[::1].evil.example',
    '[::ffff:128.0.0.1]',
    '[::ffff:7f00:1:1]',
    '64:ff9b::7f00:1',
    'user@localhost',
    'localhost@evil.example',
    'localhost:pass@evil.example',
    'localhost/evil.example',
    'localhost#evil.example',
    'localhost\\evil.example',
    'localhost evil.example',
    'localhost:99999',
    'localhost%00.evil.example',
    'ⅼocalhost',
    'http://localhost',
    '10.0.0.1',
    'example.com',
  ])('does not take %j for this machine', (host) => expect(isLoopback(host)).toBe(false));

  it('gives the same answer for the hostname of a URL', () => {
    expect(isLoopback(new URL('http://u:p@127.0.0.1:3000/x').hostname)).toBe(true);
    expect(isLoopback(new URL('http://127.0.0.1@evil.example/').hostname)).toBe(false);
  });
});

describe('isLoopbackUrl', () => {
  it.each(['http://localhost/x', 'ws://[::1]:9229', 'http://0x7f000001/'])('takes %s', (url) => expect(isLoopbackUrl(url)).toBe(true));
  it.each([undefined, 'localhost', 'http://localhost.evil.example/', 'http://127.0.0.1@evil.example/', 'not a URL'])(
    'does not take %j',
    (url) => expect(isLoopbackUrl(url)).toBe(false),
  );
});
