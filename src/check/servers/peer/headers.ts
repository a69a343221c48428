// The headers a proper client sends with a message in each revision.

import type { Revision } from '../../../protocol/revision.ts';
import { isModern, traitsOf } from '../../model/revision.ts';
import { asRecord, at } from '../../model/value.ts';

/** Which parameter `Mcp-Name` repeats. */
const named: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

export function standardHeaders(
  message: unknown,
  revision: Revision,
  session: string | undefined,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { ...own, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  if (isModern(revision)) return { ...headers, 'mcp-protocol-version': revision, ...stateless(message) };
  if (session !== undefined) headers['mcp-session-id'] = session;
  if (traitsOf(revision).versionHeader && asRecord(message)['method'] !== 'initialize') headers['mcp-protocol-version'] = revision;
  return headers;
}

function stateless(message: unknown): Record<string, string> {
  const method = asRecord(message)['method'];
  if (typeof method !== 'string') return {};
  const key = named.get(method);
  const name = key === undefined ? undefined : at(message, 'params', key);
  return { 'mcp-method': headerValue(method), ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }) };
}

/** As it is where a header can carry it, wrapped otherwise. */
export function headerValue(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && text.trim() === text && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
