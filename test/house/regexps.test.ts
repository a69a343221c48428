// Regular expressions take a time that grows with the length of the text: strangers choose the text.
import { describe, expect, it } from 'vitest';
import { patternsOf } from './patterns.ts';
import { type Attack, attacksOn } from './regexp-attacks.ts';
import { sources } from './tree.ts';

/** Slow for a text that nobody else can choose, or that is short. The folder of what runs in an image, or a file and how the pattern begins. */
const harmless: readonly (readonly [path: string, start: string, why: string])[] = [
  ...['js-runtime/', 'languages/javascript/inspect/', 'languages/javascript/reload/', 'languages/javascript/loader/transform.ts'].map(
    (path) => [`src/live/${path}`, '', "runs in the image, over the user's own program; the host goes on and can end it"] as const,
  ),
  ['src/live/languages/lisp/facts.ts', '[^\\s()', 'the line that the user types'],
  ['src/live/languages/smalltalk/facts.ts', '\\w[\\w:]*$', 'the line that the user types'],
  ['src/live/languages/javascript/facts.ts', '[\\w$][\\w$.]*$', 'the line that the user types'],
  ['src/live/session/project-folder.ts', '(?<=.)', 'the path of a folder that is there: 4,096 bytes at most'],
];

/** Put together when they run: what they become, or why that does not matter. */
const made: Readonly<Record<string, readonly RegExp[] | string>> = {
  'src/check/schemas/sample.ts': "a server's own pattern, run in a thread that is ended when it takes too long",
  'src/check/wire/challenge.ts': [/(?:^|[\s,])scope\s*=\s*(?:"([^"]*)"|([^\s,"]+))/i],
  'src/cli/target/concealed.ts': [/longer\.text|text/g],
  'src/cli/target/server-question.ts': [/0123456789abcdef(\d+)z/g],
  'src/live/languages/javascript/attached/process.ts': [/^Uid:\s*(.*)$/m],
  'src/live/languages/javascript/loader/transform.ts': 'runs in the image, as above',
  'src/schema/ajv.ts': "the library's own pattern for addresses, with its slow part replaced; held against long texts in test/threats",
  'src/schema/untrusted.ts': 'only made, to see whether it can be: it is never run',
  'src/live/languages/lisp/test-runner.ts': [/^[ \t]*\([\w:-]*(?:test|deftest)\s+\(?[\w:]*name(?=[\s()])/im],
};

const found = patternsOf(sources('src'));
const tooLong = 30;

describe('the regular expressions of src', { timeout: 600_000 }, () => {
  it('take a time that grows with the length of the text, whatever it repeats', () => {
    const listed = (path: string, source: string): boolean =>
      harmless.some(([file, start]) => path.startsWith(file) && source.startsWith(start));
    const examples = Object.entries(made).flatMap(([path, all]) =>
      typeof all === 'string' ? [] : all.map((regexp) => ({ path, regexp })),
    );
    const judged = new Map<string, string | undefined>();
    const slow = [...found.patterns, ...examples].flatMap(({ path, regexp }) => {
      const key = String(regexp);
      if (!judged.has(key) && !listed(path, regexp.source)) judged.set(key, slowFor(regexp));
      const text = listed(path, regexp.source) ? undefined : judged.get(key);
      return text === undefined ? [] : [`${path}: ${regexp} takes long for ${text}`];
    });
    expect(slow).toEqual([]);
  });

  it('are all known, those that are put together and those that are excused', () => {
    expect(found.made.toSorted()).toEqual(Object.keys(made).toSorted());
    const stale = harmless.filter(
      ([file, start]) => !found.patterns.some(({ path, regexp }) => path.startsWith(file) && regexp.source.startsWith(start)),
    );
    expect(stale).toEqual([]);
  });
});

describe('the judge of regular expressions', { timeout: 120_000 }, () => {
  it.each([
    /(?:a+)+$/,
    /a.*b.*c/,
    /\s*\n\s*/g,
    /[\w.-]+$/,
    /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
    /\b(?:sk|pk)-[\w.-]*$/,
    /-----BEGIN [A-Z ]*KEY-----[\s\S]*?-----END [A-Z ]*KEY-----/g,
    /\n(?!\s+at )/g,
    /^([^:\s]+):\s*(.*)$/,
    /(?<=a\s*)b/,
    /^_+|_+$/g,
  ])('finds %s slow', (regexp) => expect(slowFor(regexp)).toBeDefined());

  it.each([/^\s*[{[]/, /(?<!\d)\d+$/, /\n[^\S\n]+at /, /'[^']*(?:'|$)/g, /a{1,40}b/, /(?:'[^']*(?:'|$)|\\'|[^\s'])+/g])(
    'lets %s pass',
    (regexp) => expect(slowFor(regexp)).toBeUndefined(),
  );

  it('reads those that are written down, and knows where others are made', () => {
    const text = "const a: RegExp = /x+/giu;\nconst b = new RegExp(String(1));\nconst c = 'no /regexp/ here' as const; // nor /here/\n";
    const { patterns, made } = patternsOf([{ path: 'src/a.ts', text }]);
    expect([patterns.map(({ regexp }) => String(regexp)), made]).toEqual([['/x+/giu'], ['src/a.ts']]);
  });
});

/** The beginning of a text that is too much for it; undefined for a linear one. */
function slowFor(regexp: RegExp): string | undefined {
  const attack = attacksOn(regexp).find((one) => isSlow(regexp, one));
  return attack === undefined ? undefined : JSON.stringify(attack.text(24));
}

/** A linear one needs a hundredth of the time that is too long, a quadratic one several times as much. What is exponential shows at once. */
function isSlow(regexp: RegExp, { longest, text }: Attack): boolean {
  for (let length = 16; length <= longest; length = length < 64 ? length + 4 : length * 4) {
    if (cost(regexp, text(length)) < tooLong) continue;
    const [long, short] = [text(length), text(length / 8)];
    const [slow, quick] = [Math.min(cost(regexp, long), cost(regexp, long)), Math.min(cost(regexp, short), cost(regexp, short))];
    // A collection of garbage may take as long, but not each time.
    if (slow >= tooLong && (length < 1_000 || slow > 20 * quick)) return true;
  }
  return false;
}

/** Of this process in milliseconds, not of the clock: others may be running. */
function cost(regexp: RegExp, text: string): number {
  const began = process.cpuUsage();
  if (regexp.global) text.replace(regexp, '');
  else regexp.exec(text);
  return process.cpuUsage(began).user / 1_000;
}
