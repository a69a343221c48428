// Hostile text for everything that masks, prints or takes text apart.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChallenges, readDemand } from '../../../src/auth/client/www-authenticate.ts';
import { withoutSecrets, wordsWithoutSecrets } from '../../../src/check/model/secrets.ts';
import { CommandError } from '../../../src/cli/args/command.ts';
import { words } from '../../../src/cli/args/split-words.ts';
import { maskHeaders, maskText } from '../../../src/cli/commands/record/masking.ts';
import { descriptionOf, signatureOf } from '../../../src/cli/terminal/signature.ts';
import { printable, printableJson, printableLines, quote } from '../../../src/cli/terminal/terminal.ts';
import { LastLines } from '../../../src/connect/stdio-stderr.ts';
import { EventParser } from '../../../src/jsonrpc/event-stream.ts';
import { LineSplitter } from '../../../src/jsonrpc/lines.ts';
import { decodeMessage } from '../../../src/jsonrpc/message.ts';
import { decodeHeader, encodeHeader } from '../../../src/protocol/headers.ts';
import { cut, describeErrors } from '../../../src/schema/issues.ts';
import { acceptsAll, isJson } from '../../../src/serve/media.ts';
import { matchTemplate } from '../../../src/server/uri-template/match.ts';
import { parseTemplate } from '../../../src/server/uri-template/uri-template.ts';
import { isPlain } from '../../../src/text/printable.ts';
import { hold, isLinear, testMs } from './hold.ts';

const fragments = [
  'a',
  'Z',
  '1',
  '0',
  '.',
  '-',
  '_',
  '--',
  '=',
  ':',
  ': ',
  ' ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  ',',
  ';',
  '"',
  "'",
  '\\',
  '\\"',
  '`',
  '$',
  '/',
  '//',
];
fragments.push(
  '@',
  '?',
  '#',
  '&',
  '%',
  '%41',
  '%zz',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '{a}',
  '{?a,b}',
  '{+a*}',
  '*',
  '+',
  '|',
  '<',
  '>',
  '!',
  '~',
);
fragments.push(
  'Bearer ',
  'Basic ',
  'bearer realm=',
  'token=',
  'api_key:',
  '"password":"',
  'secret',
  'authorization: ',
  '-H ',
  'sk-live-',
  'eyJ',
  'key=',
  'http://',
);
fragments.push(
  'data:',
  'id:',
  'event: ',
  'retry: 1',
  ':\n\n',
  '{"jsonrpc":"2.0",',
  '"id":1,',
  '"method":"a"',
  '=?base64?',
  '?=',
  'AAAA',
  'charset=',
  'q=0',
);
fragments.push(
  '\u0000',
  '\u001b[31m',
  '\u001b]0;',
  '\u0007',
  '\u0085',
  '\u202e',
  '\u200b',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\udc00',
  '😀',
  'é',
  '\u{e0041}',
  '\u009b',
);

const some = (least: number, most: number) =>
  fc.array(fc.constantFrom(...fragments), { minLength: least, maxLength: most }).map((parts) => parts.join(''));
const short = fc.oneof(some(0, 30), fc.string({ unit: 'binary', maxLength: 40 }));
/** Something that is repeated, with something else at both ends: what makes a search go back. */
const long = fc.record({ head: some(0, 3), unit: some(1, 4), tail: some(0, 3) });
const size = 40_000;

/** Gives back what is shown to people, if anything is. */
const readers: Readonly<Record<string, (text: string) => string | undefined>> = {
  decodeMessage: (text) => void decodeMessage(text, 256),
  LineSplitter: (text) => void new LineSplitter({ line: () => undefined, fault: () => undefined }, 1e6).push(Buffer.from(`${text}\n`)),
  EventParser: (text) => void new EventParser({ event: () => undefined, overflow: () => undefined }, 1e6).push(Buffer.from(`${text}\n\n`)),
  printable,
  printableLines: (text) => printableLines(text).replaceAll(/[\n\t]/g, ''),
  printableJson: (text) => {
    const json = printableJson({ [text]: text }, 2);
    expect(JSON.parse(json)).toEqual({ [text]: text });
    return json.replaceAll('\n', '');
  },
  maskText: (text) => void maskText(text),
  maskHeaders: (text) => void maskHeaders({ 'x-any': text }),
  withoutSecrets: (text) => void withoutSecrets(text),
  wordsWithoutSecrets: (text) => void wordsWithoutSecrets([text, text]),
  quote: (text) => void quote(text),
  words: (text) => {
    try {
      words(text);
    } catch (error) {
      expect(error).toBeInstanceOf(CommandError);
    }
    return undefined;
  },
  header: (text) => {
    decodeHeader(text);
    // Half a character cannot travel.
    if (!/\p{Cs}/u.test(text)) expect(decodeHeader(encodeHeader(text))).toBe(text);
    return undefined;
  },
  parseChallenges: (text) => void parseChallenges(text),
  readDemand: (text) => void readDemand(text),
  isJson: (text) => void isJson(`application/json;${text}`),
  acceptsAll: (text) => void acceptsAll(text),
  'a template': (text) => void parseTemplate(text),
  'a match': (text) => {
    const template = parseTemplate('note:///{a}/{+b*}{?c,d*}');
    if (!('problem' in template)) matchTemplate(template, `note:///${text}`);
    return undefined;
  },
  'a description': (text) => descriptionOf(text, false).join(''),
  'a whole description': (text) => descriptionOf(text, true).join('').replaceAll('\t', ''),
  'a signature': (text) => {
    const inputSchema = {
      properties: { [text]: { const: text, default: text }, b: { enum: [text] }, c: { $ref: `#/${text}` }, d: { type: text } },
    };
    return signatureOf({ name: text, inputSchema, outputSchema: { type: [text] } } as never).replaceAll('\n', '');
  },
  'an issue': (text) =>
    describeErrors([{ keyword: 'pattern', instancePath: `/${text}`, message: text, params: {}, propertyName: text }]) && undefined,
  cut: (text) => cut(text, 200).replaceAll(/[\p{Cf}\u2028\u2029]/gu, ''),
  'standard error': (text) => {
    const lines = new LastLines([]);
    lines.push(Buffer.from(text));
    return undefined;
  },
};

describe.each(Object.entries(readers))('hostile text for %s', (name, read) => {
  it('is read without a failure, and shown without a control character', { timeout: testMs }, () =>
    hold(short, 120, (text) => {
      const shown = read(text);
      if (shown !== undefined && !isPlain(shown.replaceAll(/[\ud800-\udfff]/g, '')))
        throw new Error(`${name} shows ${JSON.stringify(shown)}`);
    }),
  );

  it('is read in time that grows as it does', { timeout: testMs }, () =>
    hold(long, 25, ({ head, unit, tail }) => {
      isLinear((many) => void read(head + unit.repeat(Math.ceil(many / unit.length)) + tail), size, name);
    }),
  );
});
