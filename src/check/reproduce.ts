// A line for a shell that shows a failure again: the bytes themselves, through printf or curl.

import type { Revision } from '../protocol/revision.ts';
import { escapeUnsafe, visible } from './evidence.ts';
import { initializeParams } from './peer/greet.ts';
import { fullCapabilities, isModern } from './peer/peer.ts';
import { isSecret, withoutSecrets } from './secrets.ts';
import type { Target } from './target.ts';
import type { Exchange, Message } from './trace.ts';
import { at } from './value.ts';
import type { Evidence, Finding } from './verdict.ts';
import type { CommandLine } from './wire/pipe.ts';

/** Undefined where what was seen cannot be had by sending something. */
export function reproduction(finding: Finding, target: Target, revision: Revision): string | undefined {
  if (target.kind === 'url') return byCurl(finding.evidence);
  if (target.kind !== 'command') return undefined;
  const sent = finding.evidence.filter((one): one is Message => typeof one !== 'string' && 'direction' in one && one.direction === 'sent');
  const lines = sent.flatMap(({ text, value }) => (text === undefined || text.length > 2_000 || isOpening(value) ? [] : [text]));
  const all = [...opening(revision), ...lines.map(escapeUnsafe)];
  // The end of input would end a server before it has answered.
  return `(printf '%s\\n' ${all.map(quote).join(' ')}; sleep 1) | ${commandLine(target)}`;
}

/** In its folder, with the variables it was given by name: their values may be secrets. */
function commandLine({ command, args, env = {}, cwd }: CommandLine): string {
  const variables = Object.keys(env).map((name) => `${name}="$${name}"`);
  const line = [...variables, withoutSecrets([command, ...args].map(quote).join(' '))].join(' ');
  return cwd === undefined ? line : `(cd ${quote(cwd)} && ${line})`;
}

function isOpening(value: unknown): boolean {
  const method = at(value, 'method');
  return method === 'initialize' || method === 'notifications/initialized';
}

function opening(revision: Revision): string[] {
  if (isModern(revision)) return [];
  const params = initializeParams({ revision, capabilities: fullCapabilities(revision) });
  return [
    JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  ];
}

function byCurl(evidence: readonly Evidence[]): string | undefined {
  for (const one of evidence) {
    if (typeof one === 'string') continue;
    const exchange: Exchange | undefined = 'request' in one ? one : one.exchange;
    if (exchange === undefined) continue;
    const { method, url, headers, body } = exchange.request;
    const shown = Object.entries(headers).map(([name, value]) =>
      // In double quotes, so that a shell puts in what the reader has.
      isSecret(name, exchange.request)
        ? `-H "${name}: $${name.toUpperCase().replace(/\W/g, '_')}"`
        : `-H ${quote(`${name}: ${visible(value)}`)}`,
    );
    const data =
      body === undefined ? [] : body.length > 2_000 ? ['--data-binary @body'] : [`-d ${quote(escapeUnsafe(body.toString('utf8')))}`];
    return ['curl -isN', ...(method === 'POST' ? [] : [`-X ${method}`]), ...shown, ...data, quote(withoutSecrets(url))].join(' ');
  }
  return undefined;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
