// A real client of a server in this process, for users' own tests: with a transcript, and an eye on handlers that do things twice.
import { type Client, connect } from '../client/index.ts';
import type { ClientOptions } from '../client/options.ts';
import type { Channel } from '../protocol/channel.ts';
import type { Revision } from '../protocol/revision.ts';
import { serveMemory } from '../serve/memory.ts';
import type { Principal } from '../server/context.ts';
import type { Server } from '../server/server.ts';
import { type Transcript, TranscriptRecorder } from './transcript.ts';

export interface TestClientOptions extends Omit<ClientOptions, 'revision' | 'tap'> {
  /** Default: the newest the server speaks. */
  readonly revision?: Revision;
  readonly principal?: Principal;
  /** Presents the last round of a call that asked once more, as a client may whose answer got lost. Default: true. */
  readonly replayCheck?: boolean;
}

export interface TestClient extends Client {
  readonly transcript: Transcript;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly requestState?: string };
  readonly result?: { readonly resultType?: string };
}

/**
 * @example
 * await using client = await createTestClient(server, { handlers: { elicit: () => ({ action: 'accept', content: { sure: true } }) } });
 */
export async function createTestClient(server: Server, options: TestClientOptions = {}): Promise<TestClient> {
  const { principal, replayCheck = true, ...rest } = options;
  const transcript = new TranscriptRecorder();
  const inner = serveMemory(server, principal === undefined ? {} : { principal });
  const channel = recorded(replayCheck ? replaying(inner) : inner, transcript);
  const client = await connect(channel, rest);
  return Object.assign(client, { transcript });
}

function recorded(channel: Channel, transcript: TranscriptRecorder): Channel {
  return {
    ...passedOn(channel),
    send(message) {
      transcript.add('client', JSON.stringify(message));
      // As it would arrive: nobody shares an object with the other side of a wire.
      channel.send(structuredClone(message));
    },
    receive(listener) {
      channel.receive((message) => {
        transcript.add('server', JSON.stringify(message));
        listener(structuredClone(message));
      });
    },
  };
}

/** Whatever a handler did before its last question, and not under `once`, happens again: its own assertions will notice. */
function replaying(channel: Channel): Channel {
  const rounds = new Map<unknown, Message>();
  const held = new Map<string, object>();
  let count = 0;
  return {
    ...passedOn(channel),
    send(message) {
      const { id, params } = message as Message;
      if (id !== undefined && params?.requestState !== undefined) rounds.set(id, message as Message);
      channel.send(message);
    },
    receive(listener) {
      channel.receive((message) => {
        const { id, result } = message as Message;
        const round = rounds.get(id);
        rounds.delete(id);
        const first = held.get(id as string);
        if (first !== undefined) {
          held.delete(id as string);
          listener(first);
        } else if (round !== undefined && result?.resultType === 'complete') {
          const again = `replay-${++count}`;
          held.set(again, message);
          channel.send({ ...round, id: again });
        } else listener(message);
      });
    },
  };
}

function passedOn(channel: Channel): Pick<Channel, 'closed' | 'close' | typeof Symbol.asyncDispose> {
  return { closed: channel.closed, close: () => channel.close(), [Symbol.asyncDispose]: () => channel.close() };
}
