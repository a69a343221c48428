import { expect, it } from 'vitest';
import { maskHeaders, maskText } from '../../../../src/cli/commands/record/masking.ts';

it.each([
  ['{"token":"abc","progressToken":"kept"}', '{"token":"***","progressToken":"kept"}'],
  ['{"a":"x","api_key" : "s\\"ecret","b":1}', '{"a":"x","api_key" : "***","b":1}'],
  ['key ghp_aaaaaaaaaaaaaaaaaaaaaaaa end', 'key *** end'],
  ['https://me:hunter2@a.example/', 'https://me:***@a.example/'],
  ['{"text":"no secret at all"}', '{"text":"no secret at all"}'],
  [
    '{"OPENAI_API_KEY":"a","authToken":"b","db_password":"c","nextPageToken":"d"}',
    '{"OPENAI_API_KEY":"***","authToken":"***","db_password":"***","nextPageToken":"d"}',
  ],
  ['{"password":["a","b"],"c":"d"}', '{"password":["***","***"],"c":"d"}'],
  ['{"text":"{\\"api_key\\":\\"a\\"}"}', '{"text":"{\\"api_key\\":\\"***\\"}"}'],
  ['{"url":"https://a.example/?token=abc&b=1"}', '{"url":"https://a.example/?token=***&b=1"}'],
  ['/mcp?api_key=abc&b=1', '/mcp?api_key=***&b=1'],
  ['grant_type=authorization_code&code=12345678&refresh_token=abc', 'grant_type=authorization_code&code=***&refresh_token=***'],
  ['node server.js --api-key abc --token=def --token-env NAME', 'node server.js --api-key *** --token=*** --token-env NAME'],
  ['note password: abc Authorization: Basic YWJjZGVmZ2g=', 'note password: *** Authorization: *** ***'],
  [
    '{"properties":{"password":{"description":"password: the word"}},"required":["token","secret"]}',
    '{"properties":{"password":{"description":"password: the word"}},"required":["token","secret"]}',
  ],
  ['{"a":"http://h.example:80","b":"me@a.example"}', '{"a":"http://h.example:80","b":"me@a.example"}'],
  ['https://u:p@ss@a.example/', 'https://u:***@a.example/'],
  ['/mcp?key=abcdefgh1&maxToken=500', '/mcp?key=***&maxToken=500'],
  ['{"password":"', '{"password":"'],
])('makes %j %j', (text, masked) => expect(maskText(text)).toBe(masked));

it('masks headers by their names, and addresses within the others', () => {
  expect(maskHeaders({ 'x-goog-api-key': 'a', 'mcp-session-id': 'kept', location: 'http://a.example/?code=12345678' })).toEqual({
    'x-goog-api-key': '***',
    'mcp-session-id': 'kept',
    location: 'http://a.example/?code=***',
  });
});

it.each([
  ['escapes', JSON.stringify({ a: 'x\\"y'.repeat(2e6) })],
  ['objects in a string', JSON.stringify({ a: '{"x":"y"},'.repeat(3e5) })],
  ['strings', JSON.stringify(Array.from({ length: 2e5 }, (_, at) => `k${at}`))],
  ['backslashes', `"${'\\'.repeat(4e6)}"`],
])('takes a time that grows with the length: %s', (_, text) => {
  expect(maskText(text) === text).toBe(true);
});
