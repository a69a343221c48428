// Bytes as a reader can see them: every control character shown, nothing obeyed, long ones cut.
import { unsafe } from '../../text/printable.ts';
import { isSecret } from './secrets.ts';
import type { Exchange, Message } from './trace.ts';
import type { Evidence } from './verdict.ts';

export interface EvidenceLine {
  readonly direction: 'sent' | 'received' | 'note';
  /** Milliseconds since its connection was begun. */
  readonly at?: number;
  readonly text: string;
}

const maxText = 600;

export function describeEvidence(evidence: Evidence): EvidenceLine[] {
  if (typeof evidence === 'string') return [{ direction: 'note', text: visible(evidence) }];
  return isExchange(evidence) ? describeExchange(evidence) : describeMessage(evidence);
}

function isExchange(evidence: Message | Exchange): evidence is Exchange {
  return 'request' in evidence;
}

function describeMessage({ direction, at, bytes, exchange, form }: Message): EvidenceLine[] {
  const text = visibleBytes(bytes);
  if (exchange === undefined || form === 'event') return [{ direction, at, text }];
  const isRequest = (direction === 'sent') !== (exchange.inbound === true);
  const head = isRequest ? requestLine(exchange) : statusLine(exchange);
  return [{ direction, at, text: `${head}\n${text}` }];
}

function describeExchange(exchange: Exchange): EvidenceLine[] {
  const { request, response, at } = exchange;
  const [asking, answering] = exchange.inbound === true ? (['received', 'sent'] as const) : (['sent', 'received'] as const);
  const body = request.body === undefined ? '' : `\n${visibleBytes(request.body)}`;
  const sent: EvidenceLine = { direction: asking, at, text: requestLine(exchange) + body };
  if (response === undefined) return [sent, { direction: 'note', text: exchange.failure?.message ?? 'no response' }];
  const answer = response.body.length === 0 ? '' : `\n${visibleBytes(response.body)}`;
  return [sent, { direction: answering, at: response.at, text: statusLine(exchange) + answer }];
}

/** Credentials are not repeated in reports. */
function requestLine({ request }: Exchange): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${isSecret(name, request) ? '…' : visible(value)}`);
  return [`${request.method} ${new URL(request.url).pathname}`, ...headers].join('\n');
}

const shownHeaders = /^(?:content-type|mcp-.*|www-authenticate|allow|location|x-accel-buffering|access-control-allow-origin)$/;

function statusLine({ response }: Exchange): string {
  if (response === undefined) return 'no response';
  const headers = Object.entries(response.headers).filter(([name]) => shownHeaders.test(name));
  return [`HTTP ${response.status}`, ...headers.map(([name, value]) => `${name}: ${visible(value)}`)].join('\n');
}

function visibleBytes(bytes: Buffer): string {
  // Latin-1 where it is not UTF-8, so that each byte is seen.
  const text = isUtf8(bytes)
    ? bytes.toString('utf8')
    : [...bytes.subarray(0, maxText)].map((one) => (one < 0x80 ? String.fromCharCode(one) : `\\x${one.toString(16)}`)).join('');
  return visible(text);
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}

export function visible(text: string): string {
  const cut = text.length > maxText ? `${text.slice(0, maxText)}… (${text.length} characters)` : text;
  return cut.replace(unsafe, (character) => {
    if (character === '\n' || character === '\t') return character;
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
