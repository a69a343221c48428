// Server-sent events out of text, by the rules of the HTML standard.
import type { StreamEvent } from '../model/trace.ts';

export interface EventReader {
  push(text: string): void;
}

/** Longer lines are cut: the beginning is enough to identify them. */
const longest = 64 * 1024 * 1024;

export function createEventReader(now: () => number, onEvent: (event: StreamEvent) => void): EventReader {
  let held = '';
  /** Where the search for the end of the line goes on. */
  let from = 0;
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
      const more = started ? text : text.replace(/^\ufeff/, '');
      started ||= more !== '';
      // An end of line is still to be found where there is too much before it.
      held = held.length > longest ? held.slice(0, longest) + more : held + more;
      from = Math.min(from, longest);
      const end = /\r\n|\n|\r/g;
      let begin = 0;
      for (;;) {
        end.lastIndex = Math.max(begin, from);
        const match = end.exec(held);
        // A carriage return at the very end may be half of a pair.
        if (match === null || (match[0] === '\r' && match.index === held.length - 1)) break;
        line(held.slice(begin, match.index));
        begin = end.lastIndex;
      }
      held = held.slice(begin);
      from = held.endsWith('\r') ? held.length - 1 : held.length;
    },
  };
}
