import { describe, expect, it } from 'vitest';
import { batchLine, findProgram, windowsCommand } from '../../src/connect/stdio-windows.ts';

const env = { Path: 'C:\\tools;"C:\\Program Files\\nodejs"', PATHEXT: '.COM;.EXE;.BAT;.CMD', ComSpec: 'C:\\Windows\\System32\\cmd.exe' };
const files = new Set([
  'C:\\Program Files\\nodejs\\npx.cmd',
  'C:\\Program Files\\nodejs\\node.exe',
  'C:\\tools\\both.exe',
  'C:\\tools\\both.cmd',
  'D:\\app\\run.bat',
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
  ])('is found for %s', (command, path) => {
    expect(findProgram(command, env, 'D:\\app', exists)).toBe(path);
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

  it('that is missing is left for the system to refuse', () => {
    expect(windowsCommand({ command: 'nothing' }, env, exists)).toEqual({ file: 'nothing', args: [], verbatim: false });
  });
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
