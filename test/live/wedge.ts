// What every engine must survive, and how that is tried: each row of the table has to be there for each of them.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Answer, eventually, type Lab } from './fixture.ts';

export const wedges = [
  'an endless loop',
  'a loop that nothing interrupts',
  'a blocking read',
  'an exhausted heap',
  'an exhausted stack',
  'a killed process',
  'a closed channel',
] as const;
export type WedgeName = (typeof wedges)[number];

export interface Wedge {
  readonly code: string;
  /** `either` where the engine may go on with what is left, or end. */
  readonly session: 'kept' | 'restarted' | 'either';
  /** The first line of its own answer. */
  readonly head: RegExp;
  /** It ends by itself; otherwise it is interrupted on request. */
  readonly alone?: boolean;
}

export interface Patient {
  readonly title: string;
  /** A cell that keeps 5 under a name, and one that gives it where it is still there. */
  readonly keep: string;
  readonly kept: string;
  /** `fifo` is a file that nobody ever writes to. Where it matters that a cell is stuck already, it writes the file `stuck` first. */
  wedges(fifo: string, stuck: string): Readonly<Record<WedgeName, Wedge>>;
}

/**
 * Within this every answer must have come, and is not [RUNNING]. The promise is a second, which `npm run bench -- --only live`
 * judges: here any number of other tests may run beside.
 */
const boundMs = 20_000;

export class Ward {
  readonly #patient: Patient;
  readonly #lab: Lab;
  readonly #other: string;
  readonly #stuck: string;
  readonly #wedges: Readonly<Record<WedgeName, Wedge>>;
  readonly #rows: string[] = [];

  private constructor(patient: Patient, lab: Lab, other: string) {
    this.#patient = patient;
    this.#lab = lab;
    this.#other = other;
    const fifo = join(lab.folder, 'never');
    execFileSync('mkfifo', [fifo]);
    this.#stuck = join(lab.folder, 'stuck');
    this.#wedges = patient.wedges(fifo, this.#stuck);
  }

  static async open(patient: Patient, lab: Lab): Promise<Ward> {
    const other = await lab.open();
    await lab.value(patient.keep, { session: other });
    return new Ward(patient, lab, other);
  }

  async survives(name: WedgeName): Promise<void> {
    const { code, session: fate, head, alone = false } = this.#wedges[name];
    const lab = this.#lab;
    const session = await lab.open();
    await lab.value(this.#patient.keep, { session });
    const running = lab.evaluate(code, { session, wait_ms: 120_000 });
    if (!alone) {
      await eventually(async () => (await lab.call('sessions', { action: 'list' })).text).toMatch(new RegExp(`^${session} .* busy`, 'm'));
      if (code.includes(this.#stuck)) await eventually(() => existsSync(this.#stuck)).toBe(true);
      rmSync(this.#stuck, { force: true });
      // While it is stuck, others are not.
      await this.#answers(this.#patient.kept, this.#other, 1);
      expect((await lab.call('sessions', { action: 'interrupt', session })).isError).toBe(false);
    }
    const answer = await running;
    expect(answer.head).toMatch(head);
    expect(answer.isError).toBe(true);
    const { generation } = answer.structured;
    if (fate !== 'either') expect(generation).toBe(fate === 'kept' ? 1 : 2);
    expect(/^\[STATE LOST\] generation 2: /.test(answer.text)).toBe(generation === 2);
    const [next] = await Promise.all([
      this.#answers(this.#patient.kept, session, generation),
      this.#answers(this.#patient.kept, this.#other, 1),
    ]);
    // What was lost is said once, and is gone; what was kept is there.
    expect(next.answer.text).not.toContain('STATE LOST');
    expect(/^=> 5\b/.test(next.answer.text)).toBe(generation === 1);
    this.#rows.push(`| ${this.#patient.title} | ${name} | ${generation === 1 ? 'kept' : 'restarted, and said'} | ${next.ms} ms |`);
    await lab.call('sessions', { action: 'close', session });
  }

  /** It is over, however it ended: `kept` may be unknown by then. */
  async #answers(code: string, session: string, generation: number): Promise<{ readonly answer: Answer; readonly ms: number }> {
    const begin = performance.now();
    const answer = await this.#lab.evaluate(code, { session, wait_ms: boundMs });
    const ms = Math.round(performance.now() - begin);
    expect(['ok', 'error']).toContain(answer.structured.status);
    expect(answer.structured.generation).toBe(generation);
    return { answer, ms };
  }

  async close(): Promise<void> {
    await this.#lab.close();
    console.log(['| engine | wedge | session | next answer |', '|---|---|---|---|', ...this.#rows].join('\n'));
  }
}
