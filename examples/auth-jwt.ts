// Tokens of an authorization server: who has none is told where to get one, who has too little what to ask for.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { jwt } from 'vivarium/auth';
import { type CallToolResult, metaKeys } from 'vivarium/protocol';
import { serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';

// The part of the authorization server is played here. With a real one, leave out `keys`: they are found by the issuer.
const issuer = 'https://login.example';
export const audience = 'https://notes.example/mcp';
const { publicKey, privateKey } = await generateKeyPair('ES256');
const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'k1' }] };
export const grant = (scope: string): Promise<string> =>
  new SignJWT({ scope })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('ada')
    .setExpirationTime('5 min')
    .sign(privateKey);

const server = new Server({ name: 'notes', version: '1.0.0' });
server.tool('whoami', {}, (_, ctx) => `${ctx.principal?.id}`);
server.tool('erase', { scopes: ['notes:write'] }, () => 'Erased.');

export const auth = jwt({ issuer, audience, keys, scopes: ['notes:read', 'notes:write'], required: ['notes:read'] });
export default server;

if (process.argv[1] === fileURLToPath(import.meta.url)) await tryIt();

async function tryIt(): Promise<void> {
  const serving = await serveHttp(server, { port: 0, auth, publicUrl: audience });
  const metadataUrl = 'https://notes.example/.well-known/oauth-protected-resource/mcp';

  // Without a token: 401, and where to look.
  const stranger = await call('whoami');
  assert.equal(stranger.status, 401);
  const challenge = stranger.headers.get('www-authenticate') ?? '';
  assert.match(challenge, new RegExp(`resource_metadata="${metadataUrl}", scope="notes:read notes:write"`));
  const metadata = (await (await fetch(new URL(new URL(metadataUrl).pathname, serving.url))).json()) as Record<string, unknown>;
  assert.deepEqual([metadata['resource'], metadata['authorization_servers']], [audience, [issuer]]);

  // With one, in both eras.
  const ada = [{ type: 'text', text: 'ada' }];
  const reader = await grant('notes:read');
  assert.deepEqual(await contentOf(await call('whoami', reader)), ada);
  const clientInfo = { name: 'me', version: '1' };
  const initialize = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } };
  const hello = await post(initialize, { authorization: `Bearer ${reader}` });
  const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '', authorization: `Bearer ${reader}` };
  const legacy = await post({ method: 'tools/call', params: { name: 'whoami' } }, session);
  assert.deepEqual(await contentOf(legacy), ada);

  // A tool that needs more: 403, and what to come back with.
  const lacking = await call('erase', reader);
  assert.equal(lacking.status, 403);
  assert.match(lacking.headers.get('www-authenticate') ?? '', /scope="notes:read notes:write", error="insufficient_scope"/);
  assert.equal((await call('erase', await grant('notes:read notes:write'))).status, 200);

  process.stdout.write(`${challenge}\n`);
  await serving.close();

  function call(name: string, token?: string): Promise<Response> {
    const _meta = { [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientCapabilities]: {} };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
    return post(
      { method: 'tools/call', params: { name, _meta } },
      token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
    );
  }

  function post(message: object, headers: Record<string, string>): Promise<Response> {
    return fetch(serving.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
  }

  async function contentOf(response: Response): Promise<unknown> {
    return ((await response.json()) as { result: CallToolResult }).result.content;
  }
}
