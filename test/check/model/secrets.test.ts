import { expect, it } from 'vitest';
import { isSecret, withoutSecrets, wordsWithoutSecrets } from '../../../src/check/model/secrets.ts';
import { vivarium } from '../../cli/vivarium.ts';

it.each([
  ['https://a.example/mcp?api_key=abc&b=1', 'https://a.example/mcp?api_key=…&b=1'],
  ['https://me:abc@a.example/', 'https://me:…@a.example/'],
  ["node server.js --token abc --api-key='d e' --secret 'f g'", 'node server.js --token … --api-key=… --secret …'],
  [
    "node a.js --header 'Authorization: Bearer abcdef1234567890' --passphrase hunter2",
    "node a.js --header 'Authorization: …' --passphrase …",
  ],
  ['node a.js --header Authorization: Bearer abc', 'node a.js --header Authorization: Bearer …'],
  ['node a.js -H X-Api-Key:abc --image my-token:latest', 'node a.js -H X-Api-Key:… --image my-token:latest'],
  ['node a.js --key sk-proj-abcdefghijklmnop1234', 'node a.js --key …'],
  ['node a.js run sk-proj-abcdefghijklmnop1234', 'node a.js run …'],
  ['https://a.example/mcp?key=abc&b=1', 'https://a.example/mcp?key=…&b=1'],
  ['node a.js --token -abc --secret --verbose', 'node a.js --token … --secret --verbose'],
  ['https://u:p@ss@h.example/a', 'https://u:…@h.example/a'],
  ['redis://:abc@h', 'redis://:…@h'],
  ['http://localhost:8080/@scope/a', 'http://localhost:8080/@scope/a'],
  ["env 'PASSWORD=a b&c' 'TOKEN=it'\\''s'", 'env PASSWORD=… TOKEN=…'],
  [`node a.js --config '{"apiKey":"abc","b":1}'`, `node a.js --config '{"apiKey":"…","b":1}'`],
  ['node a.js --max-token 5 --next-page-token=3', 'node a.js --max-token 5 --next-page-token=3'],
  ["say 'it is' \"it's", "say 'it is' \"it's"],
  ['node server.js --token-env NAME --tokens 5', 'node server.js --token-env NAME --tokens 5'],
])('makes %j %j', (text, shown) => expect(withoutSecrets(text)).toBe(shown));

it('hides the whole of a word that is a secret', () => {
  const words = ['node', "it's", '--token', 'a b', 'PASSWORD=c d', '--header', "X-Api-Key: e ' f"];
  expect(wordsWithoutSecrets(words)).toEqual(['node', "it's", '--token', '…', 'PASSWORD=…', '--header', 'X-Api-Key: …']);
});

it.each(['a', '-', '.', "'", '"', '//a:', 'token', 'a@', '--token '])('takes a time that grows with the length: %j', (piece) => {
  const line = piece.repeat(100_000);
  withoutSecrets(line);
  wordsWithoutSecrets([line, line]);
});

it.each(['authorization', 'x-auth-token', 'X-Goog-Api-Key', 'cookie'])('knows %s for a secret', (name) =>
  expect(isSecret(name)).toBe(true),
);
it.each(['mcp-session-id', 'accept', 'www-authenticate'])('does not take %s for one', (name) => expect(isSecret(name)).toBe(false));

it.each(['json', 'html', 'markdown', 'junit', 'sarif', 'pretty'])(
  'repeats no secret of a command line in a report as %s',
  async (reporter) => {
    const program = 'process.stdin.resume()';
    const words = [
      process.execPath,
      '-e',
      program,
      '--',
      '--api-key',
      'hunter2',
      'PASSWORD=hunter3',
      '--passphrase',
      'hunter4 hunter5',
      '--header',
      'Authorization: Bearer hunter6',
      '--token',
      '-hunter7',
    ];
    const { stdout } = await vivarium(['check', '-q', '--connect-timeout', '300ms', '--reporter', reporter, '--', ...words]);
    expect([stdout.includes('--api-key'), /hunter/.test(stdout)]).toEqual([true, false]);
  },
);
