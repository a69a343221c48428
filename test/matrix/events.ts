// Server-sent events as a client reads them: the rules of the HTML standard, by hand, so that our own writer is judged by another.

export interface ServerEvent {
  /** Of the latest event that had one, as the standard has it; empty when there was none. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export interface EventReader {
  (text: string): void;
  /** The latest id, and the time to wait before coming back, as far as they were said. */
  readonly last: string;
  readonly retry: number;
}

export function readEvents(take: (event: ServerEvent) => void): EventReader {
  let rest = '';
  let data: string[] = [];
  let event = '';
  let last = '';
  let retry = 0;
  const line = (text: string): void => {
    if (text === '') {
      if (data.length > 0) take({ id: last, event: event === '' ? 'message' : event, data: data.join('\n') });
      data = [];
      event = '';
      return;
    }
    const colon = text.indexOf(':');
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) last = value;
    else if (field === 'retry' && /^\d+$/.test(value)) retry = Number(value);
    else if (field !== '') throw new Error(`An event has a field that nobody knows: ${text}`);
  };
  const read = (text: string): void => {
    const lines = (rest + text).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    for (const one of lines) line(one);
  };
  return Object.defineProperties(read, { last: { get: () => last }, retry: { get: () => retry } }) as EventReader;
}
