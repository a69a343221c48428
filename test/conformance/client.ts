// The client under the judgement of the official conformance suite: `npx tsx test/conformance/client.ts URL`, told by the environment what to do.
import { type Client, type ConnectOptions, connect, type Revision } from 'vivarium';
import { clientCredentials, enterpriseManaged, oauth, workloadIdentity } from 'vivarium/auth';

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const revision = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'];
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
const url = process.argv.at(-1) ?? '';

const base: ConnectOptions = {
  client: { name: 'vivarium-conformance', version: '1.0.0' },
  handlers: {
    elicit: (ask) => (ask.mode === 'url' ? { action: 'decline' } : { action: 'accept', content: {} }),
    sample: () => ({ role: 'assistant', content: { type: 'text', text: 'sampled' }, model: 'none' }),
    roots: () => [{ uri: 'file:///conformance' }],
  },
  // The suite's servers of 2025 know nothing of the newer era, and count every request.
  ...(revision !== undefined && revision !== '2026-07-28' && { prior: { era: 'legacy', revision: revision as Revision, at: Date.now() } }),
};

const calls: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  tools_call: async (client) => {
    await client.listTools();
    await client.callTool('add_numbers', { a: 5, b: 3 });
  },
  'elicitation-sep1034-client-defaults': async (client) => client.callTool('test_client_elicitation_defaults'),
  'sse-retry': async (client) => client.callTool('test_reconnection'),
  'sep-2322-client-request-state': async (client) => {
    await client.listTools();
    for (const name of ['test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_unrelated', 'test_mrtr_no_result_type'])
      await client.callTool(name);
  },
  'http-standard-headers': async (client) => {
    const [tool] = await client.listTools();
    if (tool !== undefined) await client.callTool(tool.name);
    const [resource] = await client.listResources();
    if (resource !== undefined) await client.readResource(resource.uri);
    const [prompt] = await client.listPrompts();
    if (prompt !== undefined) await client.getPrompt(prompt.name);
  },
  'http-custom-headers': async (client) => {
    await client.listTools();
    for (const { name, arguments: args } of context.toolCalls ?? []) await client.callTool(name, args);
  },
  'http-invalid-tool-headers': async (client) => {
    await client.listTools();
    await client.callTool('valid_tool', { region: 'us-west1' });
  },
  'json-schema-2020-12-preservation': async (client) => {
    const tool = (await client.listTools()).find(({ name }) => name === 'json_schema_2020_12_tool');
    await client.callTool('json_schema_echo', { schema: tool?.inputSchema });
  },
};

async function authorized(client: Client): Promise<void> {
  await client.listTools();
  await client.callTool('test-tool');
}

/** The page where a user would log in answers at once with a redirect: that is the whole login. */
const redirect = {
  uri: 'http://localhost:3000/callback',
  async open(page: URL | string): Promise<URL> {
    const answer = await fetch(page, { redirect: 'manual' });
    return new URL(answer.headers.get('location') ?? '', page);
  },
};

/** Who runs this client would know it; the scenarios name it only in the metadata of the server. */
async function namedIssuer(): Promise<string> {
  const { origin, pathname } = new URL(url);
  for (const path of [pathname, '']) {
    const answer = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`);
    if (answer.ok) return ((await answer.json()) as { authorization_servers: [string] }).authorization_servers[0];
  }
  return origin;
}

async function authFor(): Promise<ConnectOptions['auth']> {
  const insecure = { allowInsecure: true };
  const issuer = context.client_id === undefined ? '' : await namedIssuer();
  switch (scenario) {
    case 'auth/client-credentials-jwt':
      return clientCredentials({
        clientId: context.client_id,
        privateKey: context.private_key_pem,
        algorithm: context.signing_algorithm ?? 'ES256',
        issuer,
        ...insecure,
      });
    case 'auth/client-credentials-basic':
      return clientCredentials({ clientId: context.client_id, clientSecret: context.client_secret, issuer, ...insecure });
    case 'auth/wif-jwt-bearer':
      return workloadIdentity({ clientId: context.client_id, assertion: () => context.valid_jwt, issuer, ...insecure });
    case 'auth/enterprise-managed-authorization':
      return enterpriseManaged({
        clientId: context.client_id,
        clientSecret: context.client_secret,
        issuer,
        idp: {
          clientId: context.idp_client_id,
          idToken: context.idp_id_token,
          issuer: context.idp_issuer,
          tokenEndpoint: context.idp_token_endpoint,
        },
        ...insecure,
      });
    default:
      return oauth({
        redirect,
        clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
        dpop: scenario.startsWith('auth/dpop'),
        ...(scenario === 'auth/pre-registration' && { clientId: context.client_id, clientSecret: context.client_secret, issuer }),
        ...insecure,
      });
  }
}

const auth = scenario.startsWith('auth/') ? await authFor() : undefined;
const client = await connect(url, { ...base, ...(auth !== undefined && { auth }) });
try {
  const run = calls[scenario] ?? (scenario.startsWith('auth/') ? authorized : (one: Client) => one.listTools());
  await run(client);
} finally {
  await client.close();
}
