// The official client of the 1.x line on our stdio server.
import type { ChildProcess } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type JSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { expect, it } from 'vitest';
import { type Connect, drive } from './peer.ts';

const spoken = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** This client always offers its newest revision, so the offer is changed on its way out. */
function connectAt(revision: string): Connect {
  return async (command) => {
    const sent: string[] = [];
    const validated: unknown[] = [];
    const errors: Error[] = [];
    let negotiated: string | undefined;
    let child: ChildProcess | undefined;
    const transport = new StdioClientTransport(command);
    const send = transport.send.bind(transport);
    Object.assign(transport, {
      send: (message: JSONRPCMessage) => {
        if ('method' in message) sent.push(message.method);
        if (!('method' in message) || message.method !== 'initialize') return send(message);
        child = (transport as unknown as { _process: ChildProcess })._process;
        return send({ ...message, params: { ...message.params, protocolVersion: revision } });
      },
      setProtocolVersion: (version: string) => {
        negotiated = version;
      },
    });
    const ajv = new AjvJsonSchemaValidator();
    const jsonSchemaValidator = {
      getValidator: <T>(schema: Parameters<typeof ajv.getValidator>[0]) => {
        const validate = ajv.getValidator<T>(schema);
        return (input: unknown) => {
          const verdict = validate(input);
          if (verdict.valid) validated.push(input);
          return verdict;
        };
      },
    };
    const client = new Client({ name: 'peer', version: '1.0.0' }, { jsonSchemaValidator });
    client.onerror = (error) => errors.push(error);
    await client.connect(transport);
    return {
      negotiated: () => negotiated,
      sent,
      validated,
      errors,
      child: () => child as ChildProcess,
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
      close: () => client.close(),
    };
  };
}

for (const revision of spoken) drive('@modelcontextprotocol/sdk', revision, connectAt(revision));

it('@modelcontextprotocol/sdk is tried at every revision that both speak', () => {
  expect(SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision !== '2024-10-07').sort()).toEqual(spoken);
});
