// What looks like a secret, or is one of the host's, does not reach a model.
import { afterEach, describe, expect, it } from 'vitest';
import { createMask } from '../../../src/live/session/mask.ts';
import { OutputBuffer } from '../../../src/live/session/output-buffer.ts';
import { eventually, openLab } from '../fixture.ts';

const token = 'quite-secret-value-0123';

afterEach(() => {
  delete process.env['TEST_API_KEY'];
});

it('T03 hides secrets of the host and of well-known shapes, in values, output and errors', async () => {
  process.env['TEST_API_KEY'] = token;
  await using lab = await openLab();
  const parts = [token, `ghp_${'a'.repeat(36)}`, `sk-${'b'.repeat(40)}`, `AKIA${'C'.repeat(16)}`];
  for (const secret of parts) {
    for (const code of [`'${secret}'`, `console.log('${secret}')`, `throw new Error('${secret}')`]) {
      expect((await lab.evaluate(code)).text).not.toContain(secret);
    }
  }
  expect((await lab.evaluate(`'${token}'`)).text).toContain('[secret TEST_API_KEY]');
});

it('T03 hides them in what is said of a program that is paused', async () => {
  process.env['TEST_API_KEY'] = token;
  await using lab = await openLab();
  const told = [
    await lab.evaluate(`throw new Error('${token}')`, { on_error: 'pause' }),
    await lab.evaluate('1'),
    await lab.call('debug', { action: 'eval', code: `throw new Error('${token}')` }),
    await lab.call('debug', { action: 'frames' }),
  ];
  for (const { text } of told) {
    expect(text).not.toContain(token);
    expect(text).toContain('[secret TEST_API_KEY]');
  }
});

it('E28 gives images the variables on the list and those that were named, and no others', async () => {
  process.env['TEST_API_KEY'] = token;
  await using lab = await openLab({ env: { NAMED: 'yes' } });
  expect(await lab.value('[process.env.TEST_API_KEY, process.env.NAMED, typeof process.env.PATH].join()')).toBe("',yes,string'");
  expect(await lab.value("require('node:fs').readFileSync('/proc/self/environ', 'utf8').includes('TEST_API_KEY')")).toBe('false');
});

const secrets = {
  'of the host': token,
  'of a shape': `ghp_${'aB3'.repeat(12)}`,
  'of several parts': `eyJ${'hbGci1'.repeat(3)}.${'eyJz1'.repeat(5)}.${'c2ln1'.repeat(5)}`,
  'of many lines': `-----BEGIN PRIVATE KEY-----\n${'MIIEvQ1A\n'.repeat(9)}-----END PRIVATE KEY-----`,
};

describe.each(Object.entries(secrets))('T03 a secret %s', (_, secret) => {
  const { mask, unfinished } = createMask({ TEST_API_KEY: token });
  /** So much of it in one piece is what somebody could use. */
  const least = 12;
  const isArmour = (part: string): boolean => /KEY|BEG|END|--|PRIV/.test(part);
  const leaks = (text: string): boolean =>
    Array.from({ length: secret.length - least }, (_, at) => secret.slice(at, at + least)).some(
      (part) => !isArmour(part) && text.includes(part),
    );

  it('that is printed in two halves, with an answer in between, is in neither', () => {
    for (let at = 1; at < secret.length; at++) {
      const printed = new OutputBuffer(20_000);
      printed.add(`before ${secret.slice(0, at)}`);
      const first = mask(printed.take(unfinished, true).text);
      printed.add(`${secret.slice(at)} after`);
      const second = mask(printed.take(unfinished, false).text);
      expect([at, leaks(first), leaks(second)]).toEqual([at, false, false]);
      expect([first, second].join('')).toMatch(/^before .* after$/s);
    }
  });

  it('that stands where the middle is left out is not shown by half', () => {
    const most = 4_000;
    for (let at = 1; at < secret.length; at++) {
      const [beginning, end] = [new OutputBuffer(most), new OutputBuffer(most)];
      beginning.add(`${'word '.repeat(most).slice(0, most / 2 - at - 1)} ${secret}${' word'.repeat(most)}`);
      end.add('word '.repeat(most) + secret + ` ${'word '.repeat(most)}`.slice(0, most / 2 - (secret.length - at)));
      expect([at, leaks(mask(beginning.take(unfinished).text)), leaks(mask(end.take(unfinished).text))]).toEqual([at, false, false]);
    }
  });

  it('that is cut off at the end of a long value is not shown by half', () => {
    for (let at = least; at < secret.length; at++)
      expect(leaks(mask(`=> 'long ${secret.slice(0, at)}'... 300 more characters`))).toBe(false);
  });
});

it('What only looks like the beginning of a secret is told with the next answer', () => {
  const { unfinished } = createMask({});
  const printed = new OutputBuffer(1_000);
  printed.add('waiting for task');
  expect(printed.take(unfinished, true)).toEqual({ text: 'waiting for task', cut: 0 });
  printed.add('reading sk-');
  expect(printed.take(unfinished, true).text).toBe('reading ');
  expect(printed.take(unfinished, true).text).toBe('sk-');
  expect(printed.take(unfinished, true).text).toBe('');
});

it('T03 a secret that a running program prints in two pieces reaches nobody, by an answer or by progress', async () => {
  process.env['TEST_API_KEY'] = token;
  await using lab = await openLab();
  await lab.value('globalThis.go = undefined; 1');
  const [one, two] = [token.slice(0, 14), token.slice(14)];
  const code = `process.stdout.write('a ${one}'); await new Promise((r) => setTimeout(r, 1_500)); console.log('${two} b'); 'done'`;
  const told: string[] = [(await lab.evaluate(code, { wait_ms: 300 })).text];
  await eventually(async () => {
    told.push((await lab.call('evaluate', { wait_ms: 200 })).text);
    return told.join('\n');
  }).toContain("=> 'done'");
  const all = told.join('\n');
  expect(all).not.toContain(one);
  expect(all).not.toContain(two);
  expect(all).toContain('[secret TEST_API_KEY] b');
});
