import { expect, it } from 'vitest';
import { isSecret, withoutSecrets } from '../../src/check/secrets.ts';
import { vivarium } from '../cli/vivarium.ts';

it.each([
  ['https://a.example/mcp?api_key=abc&b=1', 'https://a.example/mcp?api_key=…&b=1'],
  ['https://me:abc@a.example/', 'https://me:…@a.example/'],
  ["node server.js --token abc --api-key='d e' --secret 'f g'", 'node server.js --token … --api-key=… --secret …'],
  ['node server.js --token-env NAME --tokens 5', 'node server.js --token-env NAME --tokens 5'],
])('makes %j %j', (text, shown) => expect(withoutSecrets(text)).toBe(shown));

it.each(['authorization', 'x-auth-token', 'X-Goog-Api-Key', 'cookie'])('knows %s for a secret', (name) =>
  expect(isSecret(name)).toBe(true),
);
it.each(['mcp-session-id', 'accept', 'www-authenticate'])('does not take %s for one', (name) => expect(isSecret(name)).toBe(false));

it.each(['json', 'html', 'markdown', 'junit', 'sarif', 'pretty'])(
  'repeats no secret of a command line in a report as %s',
  async (reporter) => {
    const program = 'process.stdin.resume()';
    const words = [process.execPath, '-e', program, '--', '--api-key', 'hunter2', 'PASSWORD=hunter3'];
    const { stdout } = await vivarium(['check', '-q', '--connect-timeout', '300ms', '--reporter', reporter, '--', ...words]);
    expect([stdout.includes('--api-key'), /hunter/.test(stdout)]).toEqual([true, false]);
  },
);
