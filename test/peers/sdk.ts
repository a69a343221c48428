// The official clients of both lines, watched, for any of their transports.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as v2 from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator as ValidatorV2 } from '@modelcontextprotocol/client/validators/ajv';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator as ValidatorV1 } from '@modelcontextprotocol/sdk/validation/ajv';
import type { AnyClient } from './clients.ts';
import type { Peer } from './peer.ts';

/** A transport that is not begun yet, and what belongs to it. */
export interface Way {
  readonly transport: AnyClient;
  /** Settles when the client can be told things. */
  readonly listening?: Promise<void>;
  /** Before the client closes, while it still can. */
  leave?(): Promise<void>;
  /** What the client reports when it goes away, though nothing is wrong. */
  forgives?(error: Error): boolean;
  /** Settles when the server has ended, with how it did; called once the client has closed. */
  end(): Promise<number | null>;
}

function watched(Validator: AnyClient): { readonly validated: unknown[]; readonly jsonSchemaValidator: AnyClient } {
  const ajv = new Validator();
  const validated: unknown[] = [];
  const getValidator = (schema: object) => {
    const validate = ajv.getValidator(schema);
    return (input: unknown) => {
      const verdict = validate(input);
      if (verdict.valid) validated.push(input);
      return verdict;
    };
  };
  return { validated, jsonSchemaValidator: { getValidator } };
}

/** This client always offers its newest revision, so the offer is changed on its way out. */
export async function sdkV1(revision: string, way: Way): Promise<Peer> {
  const { transport } = way;
  const sent: string[] = [];
  const errors: Error[] = [];
  let negotiated: string | undefined;
  const send = transport.send.bind(transport);
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  Object.assign(transport, {
    send: (message: AnyClient, options?: object) => {
      if (message.method !== undefined) sent.push(message.method);
      if (message.method !== 'initialize') return send(message, options);
      return send({ ...message, params: { ...message.params, protocolVersion: revision } }, options);
    },
    setProtocolVersion: (version: string) => {
      negotiated = version;
      setProtocolVersion?.(version);
    },
  });
  const { validated, jsonSchemaValidator } = watched(ValidatorV1);
  const client = new Client({ name: 'peer', version: '1.0.0' }, { jsonSchemaValidator });
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  await way.listening;
  return {
    negotiated: () => negotiated,
    sent,
    validated,
    errors,
    async listTools() {
      const tools = [];
      let cursor: string | undefined;
      do {
        const page = await client.listTools(cursor === undefined ? {} : { cursor });
        tools.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return tools;
    },
    callTool: (name, args = {}, options) => client.callTool({ name, arguments: args }, undefined, options),
    onListChanged: (listener) => client.setNotificationHandler(ToolListChangedNotificationSchema, listener),
    close: closing(client, errors, way),
  };
}

export async function sdkV2(options: v2.ClientOptions, way: Way): Promise<Peer> {
  const { transport } = way;
  const sent: string[] = [];
  const errors: Error[] = [];
  const send = transport.send.bind(transport);
  transport.send = (message: AnyClient, more?: object) => {
    if (message.method !== undefined) sent.push(message.method);
    return send(message, more);
  };
  const { validated, jsonSchemaValidator } = watched(ValidatorV2);
  const client = new v2.Client({ name: 'peer', version: '1.0.0' }, { jsonSchemaValidator, ...options });
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  if (client.getNegotiatedProtocolVersion() !== '2026-07-28') await way.listening;
  return {
    negotiated: () => client.getNegotiatedProtocolVersion(),
    sent,
    validated,
    errors,
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args = {}, more) => client.callTool({ name, arguments: args }, more),
    onListChanged: (listener) => client.setNotificationHandler('notifications/tools/list_changed', listener),
    close: closing(client, errors, way),
  };
}

function closing(client: Pick<v2.Client, 'close' | 'onerror'>, errors: Error[], way: Way): () => Promise<number | null> {
  let closed: Promise<number | null> | undefined;
  const close = async (): Promise<number | null> => {
    client.onerror = (error) => {
      if (way.forgives?.(error) !== true) errors.push(error);
    };
    await way.leave?.();
    await client.close();
    return way.end();
  };
  return () => {
    closed ??= close();
    return closed;
  };
}

/** A way through the standard streams of a process that the transport begins. */
export function throughStdio(transport: AnyClient): Way {
  let exited: Promise<number | null> | undefined;
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    exited = once(transport._process as ChildProcess, 'exit').then(([code]) => code as number | null);
  };
  return { transport, end: async () => (await exited) ?? null };
}
