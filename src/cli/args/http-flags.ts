// The flags of `serve --http`, apart from what serves: stdio must not load it.
import { CommandError, exitCodes, type Flag } from './command.ts';

export const httpFlags: Readonly<Record<string, Flag>> = {
  http: { type: 'string', value: '[host:]port', help: 'Serve at a URL instead of on stdio; on 127.0.0.1 unless a host is given' },
  path: { type: 'string', value: 'path', help: 'Path of the endpoint (default: /mcp)' },
  sse: { type: 'boolean', help: 'Also offer HTTP+SSE of 2024-11-05, at /sse' },
  stateless: { type: 'boolean', help: 'Serve the 2025 revisions without sessions' },
  'allow-remote': { type: 'boolean', help: 'Listen on a host that others can reach; needs authorization' },
  'allow-host': { type: 'string', value: 'names', help: 'Names to answer to, separated by commas; on loopback, beside its own' },
  'allow-origin': { type: 'string', value: 'origins', help: 'Web origins whose pages may call, separated by commas' },
  cors: { type: 'string', value: 'origins', help: 'Web origins that get CORS headers as well, separated by commas' },
  'public-url': { type: 'string', value: 'url', help: 'The URL clients know, when there is a proxy in front' },
  metrics: { type: 'boolean', help: 'Offer counters to Prometheus, at /metrics' },
  'auth-token-env': { type: 'string', value: 'name', help: 'Let in whoever has the token in this environment variable' },
  'auth-issuer': { type: 'string', value: 'url', help: 'Let in whoever has a JWT of this issuer' },
  'auth-audience': { type: 'string', value: 'name', help: 'What the JWT must be for (default: the URL of the endpoint)' },
};

type Values = Readonly<Record<string, string | boolean | undefined>>;

export function usesHttp(values: Values): boolean {
  if (values['http'] !== undefined) return true;
  const stray = Object.keys(httpFlags).find((name) => values[name] !== undefined);
  if (stray !== undefined) throw new CommandError(exitCodes.usage, `--${stray} is about HTTP`, { hint: 'Add --http 3000' });
  return false;
}
