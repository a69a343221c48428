// Server-sent events: the framing of messages in an answer that stays open.

/** A comment: it keeps a connection from looking idle, and every reader passes over it. */
export const keepAlive = ': keep-alive\n\n';

/** `data` must be one line, which JSON always is. */
export function encodeEvent(data: string, id?: string): string {
  return id === undefined ? `event: message\ndata: ${data}\n\n` : `event: message\nid: ${id}\ndata: ${data}\n\n`;
}

/** An event without data: it only tells where to resume, and how long to wait before doing so. */
export function encodePriming(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

export function encodeRetry(retryMs: number): string {
  return `retry: ${retryMs}\n\n`;
}
