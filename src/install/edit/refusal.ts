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

/** What the system refuses, with the place and its code. */
export function orRefuse<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusalOf(what, error);
  }
}

export function refusalOf(what: string, error: unknown): unknown {
  const { code, path } = error as NodeJS.ErrnoException;
  if (error instanceof Refusal || typeof code !== 'string') return error;
  const why = reasons[code] ?? 'the system refuses it';
  const where = path === undefined || what.includes(path) ? '' : ` at ${path}`;
  return new Refusal('unreadable', `${what}: ${why} (${code}${where})`, { cause: error, hint: 'Mend that, then try again' });
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is missing',
  EPERM: 'permission is missing',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'the quota is used up',
  ENOTDIR: 'a file stands where a folder should be',
  EISDIR: 'a folder stands where a file should be',
  ENOENT: 'it leads to a folder that is not there',
  ELOOP: 'symbolic links lead to each other',
  ENAMETOOLONG: 'its name is too long',
};

/** For people: both count from one. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `line ${line}, column ${offset - before.lastIndexOf('\n')}`;
}
