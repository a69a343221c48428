import { describe, expect, it } from 'vitest';
import { printable, printableLines } from '../../../src/cli/terminal/terminal.ts';

const hostile: readonly [what: string, text: string, shown: string][] = [
  ['ANSI colours', '\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
  ['an OSC 8 link', '\u001b]8;;http://x\u0007link\u001b]8;;\u0007', '\\x1b]8;;http://x\\x07link\\x1b]8;;\\x07'],
  ['a window title', '\u001b]0;owned\u009c', '\\x1b]0;owned\\x9c'],
  ['C1 controls', '\u009b2J', '\\x9b2J'],
  ['NUL, backspace and DEL', 'a\u0000\u0008\u007f', 'a\\x00\\x08\\x7f'],
  ['bidirectional overrides', 'abc\u202edcba\u202c \u2066x\u2069', 'abc\\u{202e}dcba\\u{202c} \\u{2066}x\\u{2069}'],
  ['invisible characters', 'a\u200bb\u2060c\ufeffd\u00ade', 'a\\u{200b}b\\u{2060}c\\u{feff}d\\xade'],
  ['tag characters', 'a\u{e0041}\u{e007f}', 'a\\u{e0041}\\u{e007f}'],
  ['line and paragraph separators', 'a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
  ['lone surrogates', 'a\ud800b\udc00', 'a\\u{d800}b\\u{dc00}'],
];

describe('printable', () => {
  it.each(hostile)('shows %s instead of obeying them', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(printableLines(text)).toBe(shown);
  });

  it('keeps one line one line', () => {
    expect(printable('a\nb\r\n\tc')).toBe('a\\nb\\r\\n\\tc');
  });

  it('leaves letters of every script and emoji alone', () => {
    const text = 'Ünïcødé, 漢字, العربية, 👩‍🚀'.replaceAll('\u200d', '');
    expect(printable(text)).toBe(text);
  });
});

describe('printableLines', () => {
  it('keeps line breaks and tabs, and nothing else that moves the cursor', () => {
    expect(printableLines('a\n\tb\rc')).toBe('a\n\tb\\rc');
  });
});
