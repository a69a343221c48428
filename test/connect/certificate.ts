// Certificates of every kind, good ones and bad ones, made on the spot: DER by hand, as node:crypto signs but does not certify.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

export interface CertificateOptions {
  readonly name?: string;
  /** Hosts it is for. */
  readonly hosts?: readonly string[];
  /** Days from now. */
  readonly from?: number;
  readonly until?: number;
  /** Default: itself. */
  readonly by?: Certificate;
}

const oids = { ecdsaWithSha256: '2a8648ce3d040302', commonName: '550403', altNames: '551d11', constraints: '551d13' } as const;

let serial = 0;

export function certify({ name = 'test', hosts = [], from = -1, until = 1, by }: CertificateOptions = {}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('ecdsaWithSha256'));
  const altNames = sequence(
    ...hosts.map((host) => (isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)))),
  );
  const authority = sequence(der(0x01, Buffer.from([0xff])));
  const content = sequence(
    der(0xa0, integer(2)),
    integer(++serial),
    algorithm,
    named(by?.name ?? name),
    sequence(time(from), time(until)),
    named(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    // Who signs others must be an authority; whoever is for a host is none.
    der(0xa3, sequence(hosts.length > 0 ? extension('altNames', altNames) : extension('constraints', authority))),
  );
  const signature = sign('sha256', content, by?.privateKey ?? privateKey);
  const whole = sequence(content, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    name,
    privateKey,
  };
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
}

function oid(name: keyof typeof oids): Buffer {
  return der(0x06, Buffer.from(oids[name], 'hex'));
}

function named(name: string): Buffer {
  return sequence(der(0x31, sequence(oid('commonName'), der(0x0c, Buffer.from(name)))));
}

function time(days: number): Buffer {
  const digits = new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(digits.slice(2)));
}

function extension(name: keyof typeof oids, value: Uint8Array): Buffer {
  return sequence(oid(name), der(0x04, value));
}
