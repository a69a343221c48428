// Content-Type and Accept, read as strictly as the transports demand.

const plainJson = /^application\/json[ \t]*(?:;(.*))?$/i;

export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const found = plainJson.exec(contentType ?? '');
  if (found === null) return false;
  const charsets = (found[1] ?? '').matchAll(/(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^";\s]*)"?/gi);
  return [...charsets].every(([, charset = '']) => /^utf-?8$/i.test(charset));
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
  const ranges = new Map<string, boolean>();
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    ranges.set(type, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)));
  }
  // The most specific range decides.
  const takes = (type: string, family: string): boolean => ranges.get(type) ?? ranges.get(family) ?? ranges.get('*/*') ?? false;
  const result = { json: takes('application/json', 'application/*'), events: takes('text/event-stream', 'text/*') };
  if (known.size < 256 && accept.length < 256) known.set(accept, result);
  return result;
}
