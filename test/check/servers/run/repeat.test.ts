import { describe, expect, it } from 'vitest';
import { type CheckTarget, runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { pipeTarget } from '../../pipe-target.ts';

const only = ['stdio/stdout-clean'];
const revision = '2025-11-25';

/** How often it was started. */
function counted(
  target: CheckTarget,
  isThere: (count: number) => boolean = () => true,
): { readonly target: CheckTarget; readonly count: () => number } {
  if (target.kind !== 'pipe') throw new Error('no pipe');
  let count = 0;
  const open: typeof target.open = (streams) => {
    count += 1;
    const pipe = target.open(streams);
    if (!isThere(count)) pipe.kill('SIGKILL');
    return pipe;
  };
  return { target: { ...target, open }, count: () => count };
}

const create = () => new Server({ name: 'again', version: '1.0.0' });

describe('a run that is made several times', () => {
  it('ends at the first broken MUST where it is to', async () => {
    const loud = counted(pipeTarget(create, () => ({ greeting: 'hello\n' })));
    const once = counted(pipeTarget(create, () => ({ greeting: 'hello\n' })));
    const { runs } = await runCheck(loud.target, { revision, only, bail: true, repeat: 20 });
    await runCheck(once.target, { revision, only, bail: true });
    expect(runs[0]?.tally.failed).toBe(1);
    expect(loud.count()).toBe(once.count());
  });

  it('says what was not asked any more for that reason', async () => {
    const target = pipeTarget(create, () => ({ out: (line) => line.replace('-32601', '-32000') }));
    const { runs } = await runCheck(target, { revision, bail: true });
    const open = runs[0]?.outcomes.filter(({ verdict, message }) => verdict === 'not-verified' && message.includes('--bail')) ?? [];
    expect(open.length).toBeGreaterThan(5);
  });

  it('ends when it is interrupted', async () => {
    const stop = new AbortController();
    const { target, count } = counted(pipeTarget(create));
    const onProgress = ({ step }: { step: string }) => step === 'rules' && stop.abort();
    await runCheck(target, { revision, only, repeat: 20, signal: stop.signal, onProgress });
    expect(count()).toBeLessThan(20);
  });

  it('has not verified what it could not see each time', async () => {
    const { target } = counted(pipeTarget(create), (count) => count !== 2);
    const { runs } = await runCheck(target, { revision, only, repeat: 2 });
    expect(runs[0]?.outcomes).toMatchObject([{ verdict: 'not-verified', message: expect.stringContaining('not reached') as string }]);
  });
});
