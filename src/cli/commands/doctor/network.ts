// From a URL to an open connection: its name, its port, its certificate.
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { asNetworkFailure } from '../../../connect/network-failure.ts';
import { type HttpProxy, ProxyMistake, proxyFor } from '../../../node/proxy.ts';
import { isLoopback } from '../../../text/loopback.ts';
import { settledWithin } from '../../../text/timeouts.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import type { Examination } from './step.ts';

const stepMs = 10_000;

export async function examineNetwork(url: URL, examination: Examination): Promise<void> {
  // It looks the name up and opens the connection: what fails there, it or the first request says.
  const proxy = proxyOf(url);
  if (proxy !== undefined) return examination.ok('proxy', `${proxy.name}, as the environment says`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const address = await resolveName(host, examination);
  if (address === undefined || !(await reachPort(address, port, examination))) return;
  if (url.protocol === 'https:') await agreeOnTls(host, port, examination);
  else if (!isLoopback(host))
    examination.warn('tls', 'Plain HTTP: whoever is on the way reads everything', 'use https:// for anything but this machine');
}

function proxyOf(url: URL): HttpProxy | undefined {
  try {
    return proxyFor(url);
  } catch (error) {
    throw error instanceof ProxyMistake ? new CommandError(exitCodes.usage, error.message, { cause: error }) : error;
  }
}

async function resolveName(host: string, examination: Examination): Promise<string | undefined> {
  if (isIP(host) > 0) return host;
  try {
    const found = await inTime(lookup(host, { all: true }));
    examination.ok('dns', `${host} is ${found.map(({ address }) => address).join(', ')}`);
    // As Node's own connections do: whichever answers.
    return host;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const hint = code === 'ENOTFOUND' ? 'is the name spelt right? is there a VPN to be on?' : 'is this machine on a network?';
    examination.fail('dns', asNetworkFailure(error, true).message, hint);
    return undefined;
  }
}

async function reachPort(host: string, port: number, examination: Examination): Promise<boolean> {
  const socket = connectTcp({ host, port });
  try {
    await inTime(new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject)));
    examination.ok('tcp', `port ${port} is open`);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const hint = code === 'ECONNREFUSED' ? 'is the server running, and on this port?' : 'does a firewall or a proxy stand in between?';
    examination.fail('tcp', asNetworkFailure(error, true).message, hint);
    return false;
  } finally {
    socket.destroy();
  }
}

async function agreeOnTls(host: string, port: number, examination: Examination): Promise<void> {
  const socket = connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ALPNProtocols: ['http/1.1'] });
  try {
    await inTime(new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject)));
    const until = socket.getPeerCertificate().valid_to;
    examination.ok('tls', `${socket.getProtocol() ?? 'TLS'}${until === undefined ? '' : `, certificate valid until ${until}`}`);
    const days = (Date.parse(until) - Date.now()) / 86_400_000;
    if (days < 14) examination.warn('tls', `The certificate ends in ${Math.floor(days)} days`, 'have it renewed');
  } catch (error) {
    const { message, reason } = asNetworkFailure(error, true);
    const hint =
      reason === 'not-tls' ? 'write http:// instead of https://' : 'NODE_EXTRA_CA_CERTS=file.pem makes Node trust an authority of your own';
    examination.fail('tls', message, hint);
  } finally {
    socket.destroy();
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const done = await settledWithin(
    stepMs,
    work.then((value) => ({ value })),
  );
  if (done === undefined) throw Object.assign(new Error(`No answer within ${stepMs / 1_000} s`), { code: 'ETIMEDOUT' });
  return done.value;
}
