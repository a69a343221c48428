import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchLine, findProgram, windowsCommand } from '../../src/connect/stdio-windows.ts';

const env = { Path: 'C:\\tools;"C:\\Program Files\\nodejs"', PATHEXT: '.COM;.EXE;.BAT;.CMD', ComSpec: 'C:\\Windows\\System32\\cmd.exe' };
const files = new Set([
  'C:\\Program Files\\nodejs\\npx.cmd',
  'C:\\Program Files\\nodejs\\node.exe',
  'C:\\tools\\both.exe',
  'C:\\tools\\both.cmd',
  'D:\\app\\run.bat',
  'D:\\app\\odd.ps1',
  'C:\\tools\\python3.11.exe',
  'C:\\tools\\first.cmd',
  'C:\\Program Files\\nodejs\\first.exe',
  'C:\\tools\\LOUD.CMD',
]);
const exists = (path: string): boolean => files.has(path);

describe('a program on Windows', () => {
  it.each([
    ['npx', 'C:\\Program Files\\nodejs\\npx.cmd'],
    ['NODE.exe', undefined],
    ['node.exe', 'C:\\Program Files\\nodejs\\node.exe'],
    ['both', 'C:\\tools\\both.exe'],
    ['.\\run', 'D:\\app\\run.bat'],
    ['D:/app/run', 'D:\\app\\run.bat'],
    ['run', undefined],
    ['nothing', undefined],
    // A dot is no extension that Windows knows.
    ['python3.11', 'C:\\tools\\python3.11.exe'],
    // Folders come before extensions.
    ['first', 'C:\\tools\\first.cmd'],
    ['C:\\Program Files\\nodejs\\npx', 'C:\\Program Files\\nodejs\\npx.cmd'],
    ['..\\app\\run.bat', 'D:\\app\\run.bat'],
    ['D:run', 'D:\\app\\run.bat'],
    // Not one of PATHEXT.
    ['.\\odd', undefined],
    ['.\\odd.ps1', undefined],
  ])('is found for %s', (command, path) => {
    expect(findProgram(command, env, 'D:\\app', exists)).toBe(path);
  });

  it('has the usual extensions where PATHEXT is not set, and none where there is no PATH', () => {
    expect(findProgram('npx', { PATH: 'C:\\Program Files\\nodejs' }, undefined, exists)).toBe('C:\\Program Files\\nodejs\\npx.cmd');
    expect(findProgram('npx', { PATH: ';;', PATHEXT: ';.CMD;' }, undefined, exists)).toBeUndefined();
    expect(findProgram('npx', {}, undefined, exists)).toBeUndefined();
  });

  it('has the extensions of PATHEXT and no others', () => {
    expect(findProgram('both', { ...env, PATHEXT: '.CMD' }, undefined, exists)).toBe('C:\\tools\\both.cmd');
    expect(findProgram('.\\odd', { ...env, PATHEXT: '.PS1' }, 'D:\\app', exists)).toBe('D:\\app\\odd.ps1');
  });

  it('is started by itself, with the arguments as they are', () => {
    const command = { command: 'node', args: ['a b', '%PATH%'] };
    expect(windowsCommand(command, env, exists)).toEqual({
      file: 'C:\\Program Files\\nodejs\\node.exe',
      args: ['a b', '%PATH%'],
      verbatim: false,
    });
  });

  it('is started by cmd.exe if it is a batch file', () => {
    expect(windowsCommand({ command: 'npx', args: ['-y', 'a b'] }, env, exists)).toEqual({
      file: 'C:\\Windows\\System32\\cmd.exe',
      args: ['/e:ON', '/v:OFF', '/d', '/s', '/c', '""C:\\Program Files\\nodejs\\npx.cmd" -y "a b""'],
      verbatim: true,
    });
  });

  it.each([
    ['LOUD.CMD', 'C:\\tools\\LOUD.CMD'],
    ['D:\\app\\run.bat', 'D:\\app\\run.bat'],
  ])('is a batch file as %s too', (command, path) => {
    expect(windowsCommand({ command }, env, exists).args.at(-1)).toBe(`""${path}""`);
  });

  it('is started by the cmd.exe of the system where ComSpec does not say which', () => {
    expect(windowsCommand({ command: 'both.cmd' }, { PATH: 'C:\\tools' }, exists).file).toBe('C:\\Windows\\System32\\cmd.exe');
  });

  it.each(['nothing', 'nothing.cmd'])(
    'that is missing is not left to the system, which would look in the working folder: %s',
    (command) => {
      expect(() => windowsCommand({ command }, env, exists)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    },
  );
});

describe('an argument of a batch file', () => {
  it.each([
    ['plain-1.2/x:y@z', 'plain-1.2/x:y@z'],
    ['', '""'],
    ['a b', '"a b"'],
    ['a&calc', '"a&calc"'],
    ['a|b>c<d^e', '"a|b>c<d^e"'],
    ['(a);b,c=d!e', '"(a);b,c=d!e"'],
    ['%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
    ['say "hi"', '"say ""hi"""'],
    ['"&calc', '"""&calc"'],
    ['a\\"b', '"a\\\\""b"'],
    ['C:\\x\\', '"C:\\x\\\\"'],
    ['C:\\x', 'C:\\x'],
    ['ü', 'ü'],
    ['\u0085', '"\u0085"'],
  ])('%j is written as %s', (arg, text) => {
    expect(batchLine('x.cmd', [arg])).toBe(`"x.cmd" ${text}`);
  });

  it.each(['a\nb', 'a\rb', 'a\0b'])('%j is refused', (arg) => {
    expect(() => batchLine('x.cmd', [arg])).toThrow('line break');
  });
});

/** As cmd.exe reads a line, both times: percent signs first, then what quotes do not cover. */
function readByShell(line: string): string {
  // Every variable is there, and replaced. `%cd:~,%` is nothing of the working folder; of two percent signs the first stays.
  const expanded = line.replace(/%([^%:]+)(?::~,)?%/g, (text, name) => (text === '%cd:~,%' ? '' : `<${name}>`));
  let quoted = false;
  for (const character of expanded) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && /[&|<>^()!,;=\t]/.test(character)) throw new Error(`${character} is read by cmd.exe: ${line}`);
  }
  if (quoted) throw new Error(`A quote stays open: ${line}`);
  return expanded;
}

/** As a program takes its command line apart: the rules of the C runtime. */
function readByProgram(line: string): string[] {
  const args: string[] = [];
  let arg: string | undefined;
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const [slashes] = /^\\*/.exec(line.slice(at)) as RegExpExecArray;
    const next = line[at + slashes.length];
    if (slashes !== '') {
      const escapes = next === '"';
      arg = (arg ?? '') + (escapes ? '\\'.repeat(Math.floor(slashes.length / 2)) : slashes);
      at += slashes.length - 1;
      if (escapes && slashes.length % 2 === 1) {
        arg += '"';
        at++;
      }
    } else if (next === '"') {
      arg ??= '';
      if (quoted && line[at + 1] === '"') {
        arg += '"';
        at++;
      } else quoted = !quoted;
    } else if (!quoted && (next === ' ' || next === '\t')) {
      if (arg !== undefined) args.push(arg);
      arg = undefined;
    } else arg = (arg ?? '') + next;
  }
  return arg === undefined ? args : [...args, arg];
}

describe('a batch file and the program behind it', () => {
  const nasty = fc.constantFrom(
    '"',
    '\\',
    '%',
    ' ',
    '&',
    '|',
    '^',
    '!',
    '<',
    '(',
    '\t',
    '%PATH%',
    '%cd:~,%',
    '%%',
    '""',
    '\\"',
    'a',
    'ü',
    '=',
    ',',
  );
  const argument = fc.oneof(
    fc.array(nasty, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }).map((text) => text.replace(/[\0\r\n]/g, '')),
  );

  it('get the arguments that were given, whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 5 }), (args) => {
        const [line = ''] = windowsCommand({ command: 'npx', args }, env, exists).args.slice(-1);
        // With /s, the outermost quotes and nothing else are taken away.
        const read = readByProgram(readByShell(line.slice(1, -1)));
        expect(read).toEqual(['C:\\Program Files\\nodejs\\npx.cmd', ...args]);
      }),
      { numRuns: 2_000 },
    );
  });
});
