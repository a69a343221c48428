// A child process that ended: what the client says of it, and how it is started again where that is wanted.
import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Client, ClientEvents, Warning } from '../../../src/client/index.ts';
import { connect } from '../doors.ts';
import { type Any, failureOf, fixture, gone, until } from '../rude.ts';

const target = (revision: string) => ({
  command: process.execPath,
  args: [fixture('rude-guest.mjs'), JSON.stringify({ revisions: [revision] })],
});

interface Started {
  readonly client: Client;
  readonly reconnected: ClientEvents['reconnected'][];
  readonly closed: ClientEvents['closed'][];
  readonly warnings: Warning[];
  readonly end: Promise<unknown>;
  pid(): Promise<number>;
}

async function start(revision: string, options: object = {}): Promise<Started> {
  const client = await connect(target(revision), options);
  onTestFinished(() => client.close());
  const reconnected: ClientEvents['reconnected'][] = [];
  const closed: ClientEvents['closed'][] = [];
  const warnings: Warning[] = [];
  client.on('reconnected', (event) => reconnected.push(event));
  client.on('closed', (event) => closed.push(event));
  client.on('warning', (event) => warnings.push(event));
  const end = new Promise((resolve) => client.on('closed', resolve));
  const pid = async (): Promise<number> => Number(((await client.callTool('pid')) as Any).content[0].text);
  return { client, reconnected, closed, warnings, end, pid };
}

describe.each(['2025-06-18', '2026-07-28'])('a child that speaks %s', (revision) => {
  it('and was killed is closed, and how it ended is said', async () => {
    const { client, closed, end, pid } = await start(revision);
    process.kill(await pid(), 'SIGKILL');
    await end;
    expect(closed).toEqual([{ wanted: false, message: expect.stringContaining('SIGKILL') }]);
    for (const call of [() => client.callTool('pid'), () => client.listTools()]) {
      const error = await failureOf(call());
      expect(error.code).toBe('ERR_CLOSED');
      expect(error.message).toContain('was ended by SIGKILL');
      expect(error.failure).toMatchObject({ phase: 'request', exitSignal: 'SIGKILL', target: expect.stringContaining('rude-guest.mjs') });
    }
  });

  it('and dies under a call that may have done something leaves its outcome unknown, with its last words', async () => {
    const { client } = await start(revision);
    const error = await failureOf(client.callTool('crash'));
    expect(error.code).toBe('ERR_OUTCOME_UNKNOWN');
    expect(error.message).toMatch(
      /^The connection was lost while tools\/call ran: .*exited with code 7; its stderr says: FATAL: out of luck; /,
    );
    expect(error.message).toContain('rude-guest.mjs');
    expect(error.failure).toMatchObject({ phase: 'request', exitCode: 7, stderr: ['FATAL: out of luck'] });
  });

  it('and dies under a call that only reads is closed with its last words', async () => {
    const { client, pid } = await start(revision);
    await client.listTools();
    const error = await failureOf(client.callTool('stumble', { fatal: await pid() }));
    expect(error.code).toBe('ERR_CLOSED');
    expect(error.failure).toMatchObject({ phase: 'request', exitSignal: 'SIGKILL' });
  });

  it('is started again for the next call where that is wanted, so many times', async () => {
    const { client, pid, reconnected, warnings } = await start(revision, { restart: { max: 2 } });
    const pids = new Set<number>();
    for (let life = 0; life < 3; life++) {
      const own = await pid();
      pids.add(own);
      process.kill(own, 'SIGKILL');
      await gone(own);
    }
    expect(pids.size).toBe(3);
    const error = await failureOf(client.callTool('pid'));
    expect(error.code).toMatch(/^ERR_(?:CLOSED|OUTCOME_UNKNOWN)$/);
    expect(error.failure).toMatchObject({ exitSignal: 'SIGKILL' });
    expect(reconnected).toHaveLength(2);
    expect(warnings).toEqual([]);
  });

  it('is called again after a restart where the call only reads, and not where it may have done something', async () => {
    const { client, pid, reconnected } = await start(revision, { restart: { max: 3 } });
    await client.listTools();
    const own = await pid();
    expect((await client.callTool('stumble', { fatal: own })).content).toEqual([{ type: 'text', text: 'ran 1' }]);
    await until(() => reconnected.length === 1);
    const other = await pid();
    expect(other).not.toBe(own);
    expect((await failureOf(client.callTool('crash'))).code).toBe('ERR_OUTCOME_UNKNOWN');
    await until(() => reconnected.length === 2);
    expect(await pid()).not.toBe(other);
  });

  it('is told the log level and the subscriptions again', async () => {
    const { client, pid, reconnected } = await start(revision, { restart: { max: 1 } });
    const logs: unknown[] = [];
    client.on('log', ({ data }) => logs.push(data));
    await client.setLogLevel('error');
    let heard = 0;
    await client.subscribe('note:///a', () => heard++);
    const own = await pid();
    process.kill(own, 'SIGKILL');
    await gone(own);
    await client.listTools();
    await until(() => reconnected.length === 1);
    await client.callTool('touch', { uri: 'note:///a' });
    await client.callTool('log');
    await until(() => heard === 1 && logs.length === 1);
    expect(logs).toEqual(['a fault']);
  });

  it('is gone when the client is closed', async () => {
    const { client, pid, closed } = await start(revision);
    const own = await pid();
    await client.close();
    await gone(own);
    expect(closed).toEqual([{ wanted: true }]);
    await expect(client.callTool('pid')).rejects.toMatchObject({ code: 'ERR_CLOSED' });
  });

  it('is not left behind when the client is closed while it is started again', async () => {
    const { client, pid, end } = await start(revision, { restart: { max: 5 } });
    process.kill(await pid(), 'SIGKILL');
    await end;
    const pending = failureOf(client.callTool('pid'));
    // One turn later the call has noticed, and the start is under way.
    await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    expect((await pending).code).toBe('ERR_CLOSED');
    expect(childrenOf(process.pid)).toEqual([]);
  });
});

/** What runs a fixture of ours below this process. */
function childrenOf(parent: number): string[] {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '--ppid', `${parent}`], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes('rude-guest.mjs'));
}
