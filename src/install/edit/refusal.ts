// Why a configuration file is left as it is: a reason code for programs, and what happened, where and what to do for people.

export type RefusalReason =
  | 'damaged'
  | 'shape'
  | 'exists'
  | 'missing'
  | 'unproven'
  | 'unreadable'
  | 'foreign'
  | 'changed'
  | 'conflict'
  | 'unsupported';

export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly hint: string | undefined;

  constructor(reason: RefusalReason, message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'Refusal';
    this.reason = reason;
    this.hint = options.hint;
  }
}

/** For people: both count from one. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `line ${line}, column ${offset - before.lastIndexOf('\n')}`;
}
