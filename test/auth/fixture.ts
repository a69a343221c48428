// Heads of requests, keys to sign with, and listeners on this machine.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import type { Admission, Authorizer, Principal, Refused, RequestHead } from 'vivarium/auth';

export const resource = 'https://api.example/mcp';
export const issuer = 'https://as.example';
export const metadata = 'resource_metadata="https://api.example/.well-known/oauth-protected-resource/mcp"';

/** A request with these Authorization headers. */
export function head(authorization: readonly string[] = [], target = '/mcp'): RequestHead {
  return {
    method: 'POST',
    target,
    header: (name) => (name === 'authorization' ? authorization[0] : undefined),
    count: (name) => (name === 'authorization' ? authorization.length : 0),
  };
}

export function withToken(token: string): RequestHead {
  return head([`Bearer ${token}`]);
}

export async function admit(auth: Authorizer, token: string, to: string = resource): Promise<Admission> {
  return auth.admit(withToken(token), to);
}

export async function principalOf(auth: Authorizer, token: string, to?: string): Promise<Principal> {
  const admission = await admit(auth, token, to);
  if ('refused' in admission) throw new Error(`refused: ${admission.refused.description}`);
  return admission.principal;
}

export async function refusalOf(auth: Authorizer, token: string, to?: string): Promise<Refused> {
  return refusal(await admit(auth, token, to));
}

export function refusal(admission: Admission | Promise<Admission>): Refused {
  if (admission instanceof Promise) throw new Error('not answered at once');
  if ('principal' in admission) throw new Error('admitted');
  return admission.refused;
}

/** Right or wrong. */
type Claims = Readonly<Record<string, unknown>>;

export interface Signer {
  readonly jwks: JSONWebKeySet;
  readonly kid: string;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
  sign(claims?: Claims, header?: object): Promise<string>;
}

type CryptoKey = Awaited<ReturnType<typeof generateKeyPair>>['publicKey'];

/** Signs good tokens: claims given replace theirs, undefined takes one away. */
export async function createSigner(alg = 'ES256', kid = 'k1'): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }] };
  return {
    jwks,
    kid,
    publicKey,
    privateKey,
    sign: (claims = {}, header = {}) => new SignJWT(withDefaults(claims)).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  };
}

export function withDefaults(claims: Claims = {}): JWTPayload {
  const good = { iss: issuer, aud: resource, sub: 'alice', scope: 'notes:read notes:write', exp: seconds(60) };
  return Object.fromEntries(Object.entries({ ...good, ...claims }).filter(([, value]) => value !== undefined));
}

export function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1_000) + fromNow;
}

export interface Listener {
  readonly url: string;
  readonly count: number;
}

/** On 127.0.0.1 until the test ends. */
export async function listen(listener: RequestListener): Promise<Listener> {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get count() {
      return count;
    },
  };
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** 50 MB of blanks, as fast as they are taken. */
export function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(1_048_576, 32);
  let left = 50;
  const write = (): void => {
    while (left-- > 0 && !response.destroyed) if (!response.write(chunk)) return void response.once('drain', write);
    response.end();
  };
  write();
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** What `onError` was told, and the option to tell it. */
export function listenForErrors(): { readonly told: unknown[]; readonly onError: (error: unknown) => void } {
  const told: unknown[] = [];
  return { told, onError: (error) => void told.push(error) };
}
