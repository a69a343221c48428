// Every way in which a client goes away ends the server, whatever would keep it alive.
import { describe, expect, it } from 'vitest';
import { Child, gone, isAlive, onEachNode } from '../child.ts';

/** 3 s are promised on a machine with nothing else to do; one that is busy gets more, and what hangs still fails. */
const promisedMs = 20_000;

interface Ending {
  readonly code: number | undefined;
  readonly behind?: string;
  apply(child: Child): void;
}

const signal = (name: NodeJS.Signals, code: number): Ending => ({ code, apply: (child) => void child.process.kill(name) });

const eof: Ending = { code: 0, apply: (child) => void child.process.stdin.end() };

const endings: Readonly<Record<string, Ending>> = {
  'the end of stdin': eof,
  'a closed stdout': {
    code: 0,
    apply: (child) => {
      child.process.stdout.destroy();
      child.start('server/discover');
    },
  },
  SIGTERM: signal('SIGTERM', 0),
  SIGHUP: signal('SIGHUP', 0),
  SIGINT: signal('SIGINT', 130),
  // A process between that is killed, while the streams it handed down stay open here.
  'a vanished parent': { code: undefined, behind: 'middle.mjs', apply: (child) => void child.process.kill('SIGKILL') },
};

/** What a server is left with; each gives the processes that have to be gone in the end. */
const burdens: Readonly<Record<string, (child: Child) => Promise<number[]>>> = {
  'nothing else': async () => [],
  'an interval': async (child) => {
    expect(await child.call('interval')).toBe('ticking');
    return [];
  },
  'an open socket': async (child) => {
    expect(Number(await child.call('listen'))).toBeGreaterThan(0);
    return [];
  },
  'a call that never settles': async (child) => {
    child.start('tools/call', { name: 'never' });
    await child.call('pid');
    return [];
  },
  'a child of a tool': async (child) => [Number(await child.call('child'))],
  'all of these and a child that ignores SIGTERM': async (child) => {
    await child.call('interval');
    await child.call('listen');
    child.start('tools/call', { name: 'never' });
    return [Number(await child.call('child')), Number(await child.call('stubborn'))];
  },
};

/** Leaves the server alone with what `burden` gives it and sees it off. */
async function see(
  node: string,
  ending: Ending,
  settings: object,
  burden: (child: Child) => Promise<number[]> = async () => [],
): Promise<Child> {
  const child = new Child('porch.mjs', { node, settings, ...(ending.behind !== undefined && { behind: ending.behind }) });
  const server = Number(await child.call('pid'));
  const others = await burden(child);
  child.claim(server, ...others);
  expect([server, ...others].filter(isAlive)).toHaveLength(1 + others.length);
  const from = performance.now();
  ending.apply(child);
  // A server that stays would take the processor from the tests that follow.
  const deadline = setTimeout(() => child.kill(), promisedMs + 1_000);
  // Of a grandchild only the end of its streams can be seen.
  const at = ending.code === undefined ? await child.silent : (await child.exit).at;
  clearTimeout(deadline);
  expect(at - from).toBeLessThan(promisedMs);
  if (ending.code !== undefined) expect(await child.exit).toMatchObject({ code: ending.code, signal: null });
  await Promise.all([server, ...others].map(gone));
  await child.silent;
  return child;
}

onEachNode(
  (node) => {
    describe.each(Object.entries(endings))('%s', (_name, ending) => {
      it.each(Object.entries(burdens))('ends a server with %s, after its hook', async (_burden, burden) => {
        const child = await see(node, ending, { hook: 'runs' }, burden);
        expect(child.stderr).toBe('hook ran\nclosed\n');
      });
    });

    describe('a shutdown hook', () => {
      it.each(['waits', 'hangs'])('that %s does not keep the server', async (hook) => {
        expect((await see(node, eof, { hook })).stderr).toBe('hook ran\nclosed\n');
      });

      it.each(['throws', 'rejects'])('that %s is reported', async (hook) => {
        expect((await see(node, eof, { hook })).stderr).toBe('hook ran\nreported shutdown: the hook failed\nclosed\n');
      });

      it('that hangs does not keep a server with everything else in the way', async () => {
        await see(node, eof, { hook: 'hangs' }, burdens['all of these and a child that ignores SIGTERM']);
      });
    });

    describe('SIGTERM', () => {
      it('leaves a running tool the time to answer', async () => {
        const child = new Child('porch.mjs', { node });
        const id = child.start('tools/call', { name: 'late/SIGTERM' });
        await child.complained('late is running');
        child.process.kill('SIGTERM');
        expect(await child.exit).toMatchObject({ code: 0 });
        expect((await child.answer(id)).result.content[0].text).toBe('late');
      });

      it('after the end of stdin does not cut the rest short', async () => {
        const child = new Child('porch.mjs', { node });
        const id = child.start('tools/call', { name: 'late/SIGTERM' });
        await child.complained('late is running');
        child.process.stdin.end();
        child.process.kill('SIGTERM');
        expect(await child.exit).toMatchObject({ code: 0 });
        expect((await child.answer(id)).result.content[0].text).toBe('late');
      });
    });

    describe('a child', () => {
      it('of the very first call goes with the server', async () => {
        const child = new Child('porch.mjs', { node });
        const pid = Number(await child.call('child'));
        child.claim(pid);
        expect(await child.end()).toMatchObject({ code: 0 });
        await gone(pid);
      });

      it('of the program itself, started once it serves, goes with the server', async () => {
        const child = new Child('porch.mjs', { node, settings: { early: true } });
        await child.complained('started early\n');
        const pid = Number(/^(\d+) started early$/m.exec(child.stderr)?.[1]);
        child.claim(pid);
        expect(await child.end()).toMatchObject({ code: 0 });
        await gone(pid);
      });

      it('that its tool has given up, but that ignored it, goes with the server', async () => {
        await see(node, eof, {}, async (child) => [Number(await child.call('aborted'))]);
      });

      it('goes with a server that does not guard stdout', async () => {
        await see(node, eof, { guardStdout: false }, async (child) => [Number(await child.call('child'))]);
      });
    });

    describe('without stdout and stderr', () => {
      const deaf: Ending = {
        code: 0,
        apply: (child) => {
          child.process.stdout.destroy();
          child.process.stderr.destroy();
          child.start('tools/call', { name: 'stray/reject' });
        },
      };
      const crash: Ending = {
        code: 0,
        apply: ({ process: { stdin, stdout, stderr } }) => {
          for (const stream of [stdin, stdout, stderr]) stream.destroy();
        },
      };
      const chatter = async (child: Child) => {
        await child.call('chatter');
        return [];
      };

      it.each([true, false])('a server with an error to report ends (its own onError: %s)', async (onError) => {
        await see(node, deaf, { onError, hook: 'waits' });
      });

      it.each([true, false])('a server that goes on writing to stderr ends (its own onError: %s)', async (onError) => {
        await see(node, crash, { onError, hook: 'hangs' }, chatter);
      });
    });
  },
  { concurrent: true },
);
