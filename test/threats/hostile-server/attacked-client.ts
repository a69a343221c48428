// A client that calls a tool of a hostile server, and how long nothing else could run meanwhile.
import type { Channel, Client, Warning } from '../../../src/client/index.ts';
import type { Attack } from './schema-attacks.ts';

/** More than twice what a busy machine needs for one second of work; unbounded, most attacks take minutes or for ever. */
export const longestGapMs = 10_000;

export interface Attacked {
  readonly gapMs: number;
  readonly value: unknown;
  readonly failure: { readonly code?: unknown; readonly message: string } | undefined;
  readonly warnings: readonly Warning[];
}

type Connect = (channel: Channel) => Promise<Client>;

export async function attacked({ schema, value }: Omit<Attack, 'name'>, connect: Connect): Promise<Attacked> {
  const client = await connect(hostile(schema, value));
  const warnings: Warning[] = [];
  client.on('warning', (warning) => warnings.push(warning));
  const gap = watchLoop();
  let failure: Attacked['failure'];
  const calling = client.listTools().then(() => client.callTool('t'));
  const result = await calling.catch((error) => {
    failure = error;
  });
  const gapMs = await gap();
  await client.close();
  return { gapMs, value: result?.structuredContent, failure, warnings };
}

/** The longest time between two turns of the event loop, until it is asked for. */
function watchLoop(): () => Promise<number> {
  let last = performance.now();
  let longest = 0;
  const tick = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(tick, 5);
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    tick();
    clearInterval(timer);
    return longest;
  };
}

/** Values are handed over as they are: reading them is not what is attacked. */
function hostile(outputSchema: object, structuredContent: unknown): Channel {
  let tell: (message: object) => void = () => undefined;
  const answers: Readonly<Record<string, object>> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema }] },
    'tools/call': { content: [], structuredContent },
  };
  let end: () => void = () => undefined;
  const closed = new Promise<{ wanted: boolean }>((resolve) => {
    end = () => resolve({ wanted: true });
  });
  const close = async (): Promise<void> => end();
  return {
    kind: 'pipe',
    closed,
    close,
    [Symbol.asyncDispose]: close,
    receive(listener) {
      tell = listener;
    },
    send(message) {
      const { id, method = '' } = message as { id?: unknown; method?: string };
      if (id === undefined) return;
      const result = answers[method];
      const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
      setTimeout(() => tell({ jsonrpc: '2.0', id, ...answer }));
    },
  };
}
