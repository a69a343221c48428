// A live server in this process and a real client of it; its images are real children.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { createLive, javascript, type LiveOptions } from 'vivarium/live';
import { createTestClient, type TestClient } from 'vivarium/testing';

export { isAlive, onEachNode } from '../serve/child.ts';

export interface Answer {
  readonly text: string;
  /** The first line: what happened. */
  readonly head: string;
  /** What a program needs to go on. */
  readonly structured: {
    readonly status: string;
    readonly session: string;
    readonly generation: number;
    readonly refs?: readonly number[];
    readonly truncated?: boolean;
  };
  readonly isError: boolean;
  readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
}

export interface LabOptions extends Omit<LiveOptions, 'spare'> {
  /** None unless wanted: each would cost another start. */
  readonly spare?: LiveOptions['spare'] | 'default';
  /** The Node that runs the images. */
  readonly node?: string;
}

type Arguments = Readonly<Record<string, unknown>>;

const opened = new Set<Lab>();

afterAll(async () => {
  for (const lab of opened) await lab.close();
});

/** Small limits, so that what goes wrong stays small. */
export async function openLab({ node = process.execPath, spare = 'none', ...options }: LabOptions = {}): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), 'live-lab-'));
  const live = createLive({
    cwd: folder,
    engines: [javascript({ node })],
    stateFolder: join(folder, 'state'),
    ...(spare === 'default' ? {} : { spare }),
    ...options,
    limits: { heapMb: 128, rssMb: 512, timeoutMs: 60_000, sessions: 16, ...options.limits },
  });
  const client = await createTestClient(live.server);
  const lab = new Lab(client, folder, () => live.close());
  opened.add(lab);
  return lab;
}

export class Lab {
  readonly client: TestClient;
  /** The project's; empty at first. */
  readonly folder: string;
  /** Ends the server alone; the folder stays. */
  readonly end: () => Promise<void>;
  #marks = 0;

  constructor(client: TestClient, folder: string, end: () => Promise<void>) {
    this.client = client;
    this.folder = folder;
    this.end = end;
  }

  async call(tool: string, args: Arguments = {}, signal?: AbortSignal): Promise<Answer> {
    const result = await this.client.callTool(tool, args, signal === undefined ? {} : { signal });
    const content = result.content as unknown as Answer['content'];
    const text = content.map((one) => (one.type === 'text' ? String(one['text']) : '')).join('');
    // The words stand in both; they are looked at once, as text.
    const { text: _words, ...structured } = (result.structuredContent ?? {}) as Answer['structured'] & { readonly text?: string };
    return { text, head: text.split('\n', 1)[0] ?? '', structured, isError: result.isError === true, content };
  }

  evaluate(code: string, args: Arguments = {}, signal?: AbortSignal): Promise<Answer> {
    return this.call('evaluate', { code, ...args }, signal);
  }

  /** Its first line, where it must succeed. */
  async value(code: string, args: Arguments = {}): Promise<string> {
    const { isError, text, head } = await this.evaluate(code, args);
    if (isError) throw new Error(text);
    return head.replace(/^=> /, '').replace(/ {3}#\d+.*$/, '');
  }

  /** A session of its own. */
  async open(): Promise<string> {
    return (await this.call('sessions', { action: 'open' })).structured.session;
  }

  /** Code that leaves a sign outside, and the wait for it. */
  mark(): { readonly code: string; seen(): Promise<void> } {
    const file = join(this.folder, `mark-${++this.#marks}`);
    return {
      code: `require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`,
      seen: () => eventually(() => existsSync(file)).toBe(true),
    };
  }

  /** Evaluations without code until it is over, or paused; all they said. */
  async wait(session: string): Promise<Answer> {
    let text = '';
    for (;;) {
      const answer = await this.call('evaluate', { session, wait_ms: 10_000 });
      text += `${answer.text}\n`;
      if (answer.structured.status !== 'running') return { ...answer, text };
    }
  }

  async close(): Promise<void> {
    opened.delete(this);
    await this.client.close();
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export function eventually<T>(what: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(what, { timeout: 20_000, interval: 10 });
}

/** What stands between the marks of a fence. */
export function fenced(text: string, what = 'output'): string[] {
  return [...text.matchAll(new RegExp(`^--- ${what} (\\w+)\\n([^]*?)\\n--- end \\1$`, 'gm'))].map(([, , inside = '']) => inside);
}
