// The operations as docs/live-wire.md shows them; no server loads this.
import type { OperationName } from './operations.ts';

/** `attached`: a program behind its inspector. A program with --import vivarium/here is `javascript`. */
export type ImageKind = 'javascript' | 'attached' | 'lisp' | 'amber' | 'pharo';

export interface OperationDoc {
  readonly fields: string;
  readonly answer: string;
  readonly images: readonly ImageKind[];
}

const all: readonly ImageKind[] = ['javascript', 'attached', 'lisp', 'amber', 'pharo'];

export const operationDocs: Readonly<Record<OperationName, OperationDoc>> = {
  ping: { fields: '', answer: 'nothing more', images: all },
  probe: {
    fields: '',
    answer: "only once the program's own thread is free: tells whether something runs",
    images: all,
  },
  evaluate: {
    fields: 'whatever `Notebook.prepare` gave, `cell`, `onError`, `timeoutMs`',
    answer:
      '`value` (a view) or `values` (none, or several), `fault`, `interrupted: true` (with `why: "timeout"` where a limit of its own ended it), or `memory: "where"`; beside them `notes`, and `declares`, the names it defined, where only the image knows them',
    images: all,
  },
  interrupt: { fields: '', answer: 'ends what runs; the evaluation answers for itself where it can', images: all },
  abandon: { fields: '', answer: 'nobody waits for the evaluation any more; nothing is stopped', images: all },
  inspect: {
    fields: '`target` (a number or an expression), `path`, `offset`',
    answer: '`view` with `members`; must change nothing. Refused with `reason: "missing-ref"` where no value has that number any more',
    images: all,
  },
  lookup: { fields: '`name`, `want`', answer: '`text`, and `kind`: what the name is, `none` where it is nothing', images: all },
  complete: {
    fields: '`prefix`, and `kind` where only names of one kind are wanted',
    answer: '`names` that begin so; after a dot, members',
    images: ['javascript', 'lisp', 'amber', 'pharo'],
  },
  modules: { fields: '', answer: '`files` of the project that are loaded', images: ['javascript', 'lisp', 'amber'] },
  packages: { fields: '', answer: '`names` of the packages; asked only where `features.packages` is true', images: ['lisp'] },
  refs: { fields: '', answer: '`newest`: the last number that was given to a value', images: ['javascript', 'lisp', 'amber'] },
  reload: {
    fields: '`files`; without them, all that changed',
    answer:
      '`text`, `failed: true` where nothing was changed, and where the image can tell `changed`: the files that were taken, and `same: true` where nothing had changed',
    images: ['javascript', 'lisp', 'amber'],
  },
  debug: {
    fields: '`action`, `frame`, `code`, and for `restart` its number and a `value` as code',
    answer: 'of `frames`: `reason`, `frames` and `restarts`; of `eval`: `value` (a view) or `thrown`; of the others nothing more',
    images: ['javascript', 'lisp', 'amber', 'pharo'],
  },
  check: {
    fields: '`code`',
    answer: '`fault` where it cannot be read, otherwise perhaps a `text`; nothing is run. Asked only of engines with `readsInImage`',
    images: ['lisp', 'amber', 'pharo'],
  },
  save: {
    fields: '`file`',
    answer: 'once the whole image is in it; asked only where `features.save` is `image`, and refused with the reason where it cannot be',
    images: ['lisp', 'pharo'],
  },
  heap: {
    fields: '',
    answer: '`usedSize` and `totalSize` in bytes; `classes` with `name` and `count`, and how many `more` there are',
    images: all,
  },
  profile: {
    fields: '`action`: `start` or `stop`',
    answer: 'of `stop`: `costs` with `name`, `place` and `ms`, all `ms`, and how many `more` there are',
    images: ['javascript', 'lisp'],
  },
};
