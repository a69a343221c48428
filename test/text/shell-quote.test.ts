import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isPlain } from '../../src/text/printable.ts';
import { shellCommand, shellEnvironment, shellQuote, shellWithVariable } from '../../src/text/shell-quote.ts';

const odd = [
  'plain',
  '',
  "it's",
  'a b',
  '$(touch x)',
  '`touch x`',
  '"; touch x; "',
  '!!',
  '~root',
  '=ls',
  '%1',
  'a=b',
  '*?[a]',
  '\\',
  '#no',
  '\u001b]0;title\u0007%s%%d\\n-x',
  '-n\u001b',
  'tab\tand\nline',
  '\u202ereversed \u00e9\u{1f600}',
];

/** As a shell reads it; what would be written to a file named x shows as another word. */
function read(line: string, env: Readonly<Record<string, string>> = {}): string[] {
  const { stdout } = spawnSync('sh', ['-c', line], { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', ...env } });
  return JSON.parse(stdout);
}
const show = `${process.execPath} -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- `;

describe('a word that is quoted for a shell', () => {
  it.each(odd)('is read as it is, and obeyed by nobody: %j', (word) => {
    expect(read(show + shellQuote(word))).toEqual([word]);
    expect(isPlain(shellQuote(word))).toBe(true);
  });

  it('is no assignment where it is a program', () => {
    expect(shellCommand(['A=b', 'c=d', 'e f'])).toBe("'A=b' c=d 'e f'");
  });

  it.each(odd)('may stand before a variable: %j', (word) => {
    expect(read(show + shellWithVariable(word, 'x-a'), { x_a: 'value' })).toEqual([`${word}value`]);
  });

  it('makes a variable of any name', () => {
    for (const name of ['1a', '', 'a$(touch x)', 'A`B`']) expect(shellWithVariable('h: ', name)).toMatch(/^"h: \$[A-Za-z_]\w*"$/);
  });

  it('gives variables by name, and others than a shell knows to env', () => {
    const names = ['TOKEN', 'a;b', '1X', '$(touch x)'];
    expect(shellEnvironment(names)).toBe("TOKEN=\"$TOKEN\" env 'a;b=…' 1X=… '$(touch x)=…' ");
    expect(shellEnvironment([])).toBe('');
    const line = `${shellEnvironment(names)}${process.execPath} -e 'console.log(JSON.stringify(Object.keys(process.env)))'`;
    expect(read(line, { TOKEN: 't' })).toEqual(expect.arrayContaining(names));
  });
});
