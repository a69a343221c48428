// Bytes on a socket of their own, for what no HTTP client would send.
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

/** What came back before the other side closed or the timeout fired; the socket is closed in either case. */
export function sendMalformed(url: string, bytes: string, timeoutMs: number): Promise<string> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isSecure = protocol === 'https:';
  const number = Number(port) || (isSecure ? 443 : 80);
  return new Promise((resolve) => {
    const socket = isSecure ? connectSecurely({ host, port: number, servername: host }) : connect({ host, port: number });
    let heard = '';
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.on('data', (chunk) => {
      if (heard.length < 64 * 1024) heard += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(heard);
    });
    socket.write(bytes);
  });
}

/** A POST as it is written; it may say of its body what it likes. */
export function rawPost(url: string, headers: Readonly<Record<string, string>>, lengths: readonly string[], body: string): string {
  const { pathname, search, host } = new URL(url);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${pathname}${search} HTTP/1.1`, `Host: ${host}`, ...lines, ...lengths, '', body].join('\r\n');
}
