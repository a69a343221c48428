import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../src/connect/stdio-environment.ts';

describe('the environment of a child', () => {
  it('leaves out shell functions unless everything is wanted', () => {
    const ours = { PATH: '/bin', LC_X: '() { :; }; echo' };
    expect(childEnvironment(ours, {}, undefined, 'linux')).toEqual({ PATH: '/bin' });
    expect(childEnvironment(ours, {}, true, 'linux')).toEqual(ours);
  });

  it('knows one name for one variable on Windows', () => {
    const ours = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', SECRET: 'x' };
    expect(childEnvironment(ours, {}, undefined, 'win32')).toEqual({ Path: 'C:\\bin', SystemRoot: 'C:\\Windows' });
    expect(childEnvironment(ours, { PATH: 'D:\\' }, ['secret'], 'win32')).toEqual({ SystemRoot: 'C:\\Windows', SECRET: 'x', PATH: 'D:\\' });
  });

  it('takes a variable away', () => {
    expect(childEnvironment({ PATH: '/bin', HOME: '/' }, { HOME: undefined }, true, 'linux')).toEqual({ PATH: '/bin' });
  });
});
