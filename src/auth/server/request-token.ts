// The token of a request: from the Authorization header, and from nowhere else.
import type { RequestHead } from '../../protocol/authorization.ts';

/** `invalid` is about the token, `malformed` about the request. Neither repeats what was sent. */
export type Found = { readonly token: string } | { readonly malformed: string } | { readonly invalid: string } | undefined;

export const maxTokenLength = 8_192;

export function findToken(head: RequestHead): Found {
  if (inQuery(head.target)) return { malformed: 'The access token belongs in the Authorization header, not in the address' };
  const count = head.count('authorization');
  if (count > 1) return { malformed: 'More than one Authorization header' };
  const value = head.header('authorization')?.trim() ?? '';
  if (value === '' || !/^bearer(?:[ \t]|$)/i.test(value)) return undefined;
  const token = value.slice('bearer'.length).trim();
  // A comma: two headers that something on the way has joined.
  if (token === '' || /[\s,]/.test(token)) return { malformed: 'The Authorization header must be "Bearer", a space, and one token' };
  if (token.length > maxTokenLength) return { invalid: 'The access token is too long' };
  return isToken(token) ? { token } : { invalid: 'The access token is malformed' };
}

/** RFC 6750, section 2.1. */
export function isToken(text: string): boolean {
  return /^[\w.~+/-]+=*$/.test(text);
}

function inQuery(target: string): boolean {
  const start = target.indexOf('?');
  return start !== -1 && new URLSearchParams(target.slice(start + 1)).has('access_token');
}
