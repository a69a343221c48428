// The official clients, ready to answer what a server may ask and to write down what they hear.
import { fileURLToPath } from 'node:url';
import * as v2 from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as v1 from '@modelcontextprotocol/sdk/types.js';
import type { Revision } from 'vivarium';

// biome-ignore lint/suspicious/noExplicitAny: each client has types of its own, and both have these methods
export type AnyClient = any;
type Answers = Record<string, object>;

export interface Peer {
  readonly client: AnyClient;
  /** Leaves, and ends the server where that is to be done by hand. */
  close(): Promise<void>;
  /** By method, what it was told. */
  readonly heard: { readonly method: string; readonly params?: Record<string, unknown> }[];
  /** Methods of the requests it was asked to answer. */
  readonly asked: string[];
  readonly errors: Error[];
  call(name: string, args?: object, options?: object, meta?: object): Promise<AnyClient>;
}

const fixture = fileURLToPath(new URL('../fixtures/features.mjs', import.meta.url));
const features = { command: process.execPath, args: [fixture], stderr: 'inherit' as const };
type Command = typeof features;
const info = { name: 'peer', version: '1.0.0' };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

export const answers: Answers = {
  'elicitation/create': { action: 'accept', content: { name: 'Ada', age: 36 } },
  'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' },
  'roots/list': { roots: [{ uri: 'file:///home' }, { uri: 'file:///tmp' }] },
};
const told = [
  'notifications/message',
  'notifications/resources/updated',
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
  'notifications/elicitation/complete',
];

export const connectV1 = (revision: Revision, command: Command = features): Promise<Peer> => peerV1(revision, new StdioV1(command));
export const connectV2 = (revision: Revision, command: Command = features): Promise<Peer> => peerV2(revision, new StdioV2(command));

export async function peerV1(revision: Revision, transport: AnyClient): Promise<Peer> {
  const client: AnyClient = new ClientV1(info, { capabilities });
  const [heard, asked, errors]: [Peer['heard'], string[], Error[]] = [[], [], []];
  const requests: AnyClient[] = [v1.ElicitRequestSchema, v1.CreateMessageRequestSchema, v1.ListRootsRequestSchema];
  for (const schema of requests) {
    client.setRequestHandler(schema, ({ method }: { method: string }) => {
      asked.push(method);
      return answers[method];
    });
  }
  const notifications = [
    v1.LoggingMessageNotificationSchema,
    v1.ResourceUpdatedNotificationSchema,
    v1.ToolListChangedNotificationSchema,
    v1.ResourceListChangedNotificationSchema,
    v1.PromptListChangedNotificationSchema,
    v1.ElicitationCompleteNotificationSchema,
  ];
  for (const schema of notifications) client.setNotificationHandler(schema, (message: Peer['heard'][number]) => void heard.push(message));
  client.onerror = (error: Error) => errors.push(error);
  const send = transport.send.bind(transport);
  // It always offers its newest revision, so the offer is changed on its way out.
  transport.send = (message: AnyClient, options: AnyClient) =>
    send(message.method === 'initialize' ? { ...message, params: { ...message.params, protocolVersion: revision } } : message, options);
  await client.connect(transport);
  const call: Peer['call'] = (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options);
  return { client, close: () => client.close(), heard, asked, errors, call };
}

export async function peerV2(revision: Revision, transport: AnyClient): Promise<Peer> {
  const how = revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] };
  const client: AnyClient = new v2.Client(info, { capabilities, ...how });
  const [heard, asked, errors]: [Peer['heard'], string[], Error[]] = [[], [], []];
  for (const method of Object.keys(answers)) {
    client.setRequestHandler(method, () => {
      asked.push(method);
      return answers[method];
    });
  }
  for (const method of told) client.setNotificationHandler(method, (message: Peer['heard'][number]) => void heard.push(message));
  client.onerror = (error: Error) => errors.push(error);
  await client.connect(transport);
  const call: Peer['call'] = (name, args = {}, options = {}, _meta = {}) => client.callTool({ name, arguments: args, _meta }, options);
  return { client, close: () => client.close(), heard, asked, errors, call };
}
