// Content-Type and Accept, read as strictly as the transports demand.

const plainJson = /^application\/json[ \t]*(?:;(.*))?$/i;

export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const found = plainJson.exec(contentType ?? '');
  if (found === null) return false;
  const charset = /(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^";\s]*)"?/i.exec(found[1] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

interface Wants {
  readonly json: boolean;
  readonly events: boolean;
}

const usual = 'application/json, text/event-stream';
/** Clients send the same few values again and again. */
const known = new Map<string, Wants>();

/** A call may be answered either way, so both must be welcome. */
export function acceptsAll(accept: string | undefined): boolean {
  if (accept === usual) return true;
  const { json, events } = wants(accept ?? '');
  return json && events;
}

export function acceptsEvents(accept: string | undefined): boolean {
  return wants(accept ?? '').events;
}

function wants(accept: string): Wants {
  const found = known.get(accept);
  if (found !== undefined) return found;
  let json = false;
  let events = false;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) continue;
    json ||= type === '*/*' || type === 'application/*' || type === 'application/json';
    events ||= type === '*/*' || type === 'text/*' || type === 'text/event-stream';
  }
  const result = { json, events };
  if (known.size < 256 && accept.length < 256) known.set(accept, result);
  return result;
}
