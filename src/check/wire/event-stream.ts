// Server-sent events out of text, by the rules of the HTML standard.
import type { StreamEvent } from '../trace.ts';

export interface EventReader {
  push(text: string): void;
}

export function createEventReader(now: () => number, onEvent: (event: StreamEvent) => void): EventReader {
  let held = '';
  let started = false;
  let fields: { event?: string; id?: string; retry?: string; data?: string } = {};

  function line(text: string): void {
    if (text === '') {
      if (Object.keys(fields).length > 0) {
        const { event, id, retry, data } = fields;
        onEvent({ at: now(), event, id, retry, data });
      }
      fields = {};
      return;
    }
    if (text.startsWith(':')) return;
    const colon = text.indexOf(':');
    const name = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
    else if (name === 'event' || name === 'id' || name === 'retry') fields[name] = value;
  }

  return {
    push(text) {
      held += started ? text : text.replace(/^\ufeff/, '');
      started ||= held !== '';
      for (;;) {
        const match = /\r\n|\n|\r/.exec(held);
        // A carriage return at the very end may be half of a pair.
        if (match === null || (match[0] === '\r' && match.index === held.length - 1)) return;
        const text = held.slice(0, match.index);
        held = held.slice(match.index + match[0].length);
        line(text);
      }
    },
  };
}
