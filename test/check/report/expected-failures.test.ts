import { describe, expect, it } from 'vitest';
import { runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { compareWith, readExpected, withExpected } from '../../../src/check/report/expected-failures.ts';
import { pipeTarget } from '../pipe-target.ts';

describe('expected failures', () => {
  it('are read a line each, with a revision or without, whatever stands around them', () => {
    const text = '# known\nserver:\n  - stdio/stdout-clean\n  - "ping/empty@2025-11-25"   # soon\n\n';
    expect(readExpected(text)).toEqual([{ id: 'stdio/stdout-clean' }, { id: 'ping/empty', revision: '2025-11-25' }]);
  });

  it('excuse what they name, and are stale when it no longer fails', async () => {
    const target = pipeTarget(
      () => new Server({ name: 'loud', version: '1.0.0' }),
      () => ({ greeting: 'hello\n' }),
    );
    const reports = [await runCheck(target, { revision: '2025-11-25' })];
    expect(compareWith(readExpected('stdio/stdout-clean'), reports)).toEqual({ unexpected: [], stale: [] });
    expect(compareWith(readExpected('ping/empty'), reports)).toMatchObject({
      unexpected: [{ id: 'stdio/stdout-clean', revision: '2025-11-25' }],
      stale: [{ id: 'ping/empty' }],
    });
  });

  it('are marked as such, and the verdict says whether that is all', async () => {
    const target = pipeTarget(
      () => new Server({ name: 'loud', version: '1.0.0' }),
      () => ({ greeting: 'hello\n' }),
    );
    const reports = [await runCheck(target, { revision: '2025-11-25', only: ['stdio', 'ping'] })];
    const runOf = (text: string) => withExpected(readExpected(text), reports)[0]?.runs[0];
    expect(runOf('stdio/stdout-clean')).toMatchObject({
      conformant: false,
      verdict: expect.stringMatching(/^NOT CONFORMANT to 2025-11-25: 1 of .* All that is broken was expected\.$/),
    });
    expect(runOf('stdio/stdout-clean')?.outcomes.filter((one) => one.expected === true)).toMatchObject([{ id: 'stdio/stdout-clean' }]);
    expect(runOf('stdio/stdout-clean@2024-11-05\nping/empty')).toEqual(reports[0]?.runs[0]);
  });

  it('are not stale for what this run did not judge, unless there is no such requirement', async () => {
    const target = pipeTarget(
      () => new Server({ name: 'loud', version: '1.0.0' }),
      () => ({ greeting: 'hello\n' }),
    );
    const known = readExpected('ping/empty\nstdio/stdout-clean@2024-11-05\nping/empy\nping/empty@2026-07-28');
    const chosen = [await runCheck(target, { revision: '2025-11-25', only: ['jsonrpc'] })];
    expect(compareWith(known, chosen).stale).toEqual([{ id: 'ping/empy' }, { id: 'ping/empty', revision: '2026-07-28' }]);
    const bailed = [await runCheck(target, { revision: '2025-11-25', bail: true })];
    expect(compareWith(readExpected('stdio/stdout-clean'), bailed).stale).toEqual([]);
  });
});
