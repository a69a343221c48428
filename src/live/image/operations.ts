// What a host asks of an image: the parameters of each operation, how its result is decoded, and which images have it.
// docs/live-wire.md is generated from this table.
import type { Fault, Members, Pause, View } from './engine.ts';
import { asCount, asFault, asList, asMembers, asNumber, asPause, asText, asTexts, asView } from './frames.ts';
import type { WireFrame } from './wire.ts';

type Nothing = Readonly<Record<string, never>>;

interface OperationTypes {
  readonly ping: { readonly fields: Nothing; readonly result: Nothing };
  readonly probe: { readonly fields: Nothing; readonly result: Nothing };
  /** An evaluation becomes an `Outcome`, see outcome.ts. */
  readonly evaluate: { readonly fields: Readonly<Record<string, unknown>> & { readonly cell: number }; readonly result: WireFrame };
  readonly interrupt: { readonly fields: Nothing; readonly result: Nothing };
  readonly abandon: { readonly fields: Nothing; readonly result: Nothing };
  readonly inspect: {
    readonly fields: { readonly target: number | string; readonly path: readonly string[]; readonly offset: number };
    readonly result: { readonly view: Members };
  };
  readonly lookup: {
    readonly fields: { readonly name: string; readonly want: string };
    readonly result: { readonly text: string; readonly kind: string };
  };
  readonly complete: {
    readonly fields: { readonly prefix: string; readonly kind?: string | undefined };
    readonly result: { readonly names: readonly string[] };
  };
  readonly modules: { readonly fields: Nothing; readonly result: { readonly files: readonly string[] } };
  readonly packages: { readonly fields: Nothing; readonly result: { readonly names: readonly string[] } };
  readonly refs: { readonly fields: Nothing; readonly result: { readonly newest: number } };
  readonly reload: {
    readonly fields: { readonly files?: readonly string[] | undefined };
    readonly result: { readonly text: string; readonly failed: boolean };
  };
  readonly debug: {
    readonly fields: {
      readonly action: string;
      readonly frame?: number;
      readonly code?: string | undefined;
      readonly restart?: number | undefined;
      readonly value?: string | undefined;
    };
    readonly result: { readonly pause: Pause; readonly value?: View; readonly thrown?: string };
  };
  readonly check: { readonly fields: { readonly code: string }; readonly result: { readonly text?: string; readonly fault?: Fault } };
  readonly save: { readonly fields: { readonly file: string }; readonly result: Nothing };
  readonly heap: { readonly fields: Nothing; readonly result: Heap };
  readonly profile: { readonly fields: { readonly action: 'start' | 'stop' }; readonly result: Profile };
}

export interface Heap {
  readonly usedSize: number;
  readonly totalSize: number;
  readonly classes: readonly { readonly name: string; readonly count: number }[];
  /** Classes that are not in the list. */
  readonly more: number;
}

export interface Profile {
  readonly costs: readonly { readonly name: string; readonly place: string; readonly ms: number }[];
  readonly ms: number;
  /** Functions that are not in the list. */
  readonly more: number;
}

export type OperationName = keyof OperationTypes;
export type FieldsOf<Name extends OperationName> = OperationTypes[Name]['fields'];
export type ResultOf<Name extends OperationName> = OperationTypes[Name]['result'];

/** `attached`: a program behind its inspector. A program with --import vivarium/here is `javascript`. */
export type ImageKind = 'javascript' | 'attached' | 'lisp' | 'amber' | 'pharo';

export interface Operation<Name extends OperationName> {
  /** For docs/live-wire.md. */
  readonly fields: string;
  readonly answer: string;
  readonly images: readonly ImageKind[];
  /** It brings no text of a caller into the image and runs nothing of the program, so it is not in the audit log. */
  readonly quiet?: true;
  /** Code in the image can answer for it: what is missing or of another type is replaced by something harmless. */
  decode(frame: WireFrame): ResultOf<Name>;
}

/** More than any program has names or files. */
const maxNames = 100_000;
const all: readonly ImageKind[] = ['javascript', 'attached', 'lisp', 'amber', 'pharo'];
const nothing = (): Nothing => ({});

export const operations: { readonly [Name in OperationName]: Operation<Name> } = {
  ping: { fields: '', answer: 'nothing more', images: all, quiet: true, decode: nothing },
  probe: {
    fields: '',
    answer: "only once the program's own thread is free: tells whether something runs",
    images: all,
    quiet: true,
    decode: nothing,
  },
  evaluate: {
    fields: 'whatever `Notebook.prepare` gave, `cell`, `onError`, `timeoutMs`',
    answer:
      '`value` (a view) or `values` (none, or several), `fault`, `interrupted: true` (with `why: "timeout"` where a limit of its own ended it), or `memory: "where"`; beside them `notes`, and `declares`, the names it defined, where only the image knows them',
    images: all,
    decode: (frame) => frame,
  },
  interrupt: {
    fields: '',
    answer: 'ends what runs; the evaluation answers for itself where it can',
    images: all,
    quiet: true,
    decode: nothing,
  },
  abandon: {
    fields: '',
    answer: 'nobody waits for the evaluation any more; nothing is stopped',
    images: all,
    quiet: true,
    decode: nothing,
  },
  inspect: {
    fields: '`target` (a number or an expression), `path`, `offset`',
    answer: '`view` with `members`; must change nothing. Refused with `reason: "missing-ref"` where no value has that number any more',
    images: all,
    decode: ({ view }) => ({ view: asMembers(view) }),
  },
  lookup: {
    fields: '`name`, `want`',
    answer: '`text`, and `kind`: what the name is, `none` where it is nothing',
    images: all,
    decode: ({ text, kind }) => ({ text: asText(text), kind: asText(kind) }),
  },
  complete: {
    fields: '`prefix`, and `kind` where only names of one kind are wanted',
    answer: '`names` that begin so; after a dot, members',
    images: ['javascript', 'lisp', 'amber', 'pharo'],
    decode: ({ names }) => ({ names: asTexts(names, maxNames) }),
  },
  modules: {
    fields: '',
    answer: '`files` of the project that are loaded',
    images: ['javascript', 'lisp', 'amber'],
    quiet: true,
    decode: ({ files }) => ({ files: asTexts(files, maxNames) }),
  },
  packages: {
    fields: '',
    answer: '`names` of the packages; asked only where `features.packages` is true',
    images: ['lisp'],
    quiet: true,
    decode: ({ names }) => ({ names: asTexts(names, maxNames) }),
  },
  refs: {
    fields: '',
    answer: '`newest`: the last number that was given to a value',
    images: ['javascript', 'lisp', 'amber'],
    quiet: true,
    decode: ({ newest }) => ({ newest: asCount(newest) }),
  },
  reload: {
    fields: '`files`; without them, all that changed',
    answer: '`text`, and `failed: true` where nothing was changed',
    images: ['javascript', 'lisp', 'amber'],
    decode: ({ text, failed }) => ({ text: asText(text), failed: failed === true }),
  },
  debug: {
    fields: '`action`, `frame`, `code`, and for `restart` its number and a `value` as code',
    answer: 'of `frames`: `reason`, `frames` and `restarts`; of `eval`: `value` (a view) or `thrown`; of the others nothing more',
    images: ['javascript', 'lisp', 'amber', 'pharo'],
    decode: (frame) => ({
      pause: asPause(frame),
      ...(frame['value'] !== undefined && { value: asView(frame['value']) }),
      ...(frame['thrown'] !== undefined && { thrown: asText(frame['thrown']) }),
    }),
  },
  check: {
    fields: '`code`',
    answer: '`fault` where it cannot be read, otherwise perhaps a `text`; nothing is run. Asked only of engines with `readsInImage`',
    images: ['lisp', 'amber', 'pharo'],
    decode: ({ text, fault }) => ({
      ...(text !== undefined && { text: asText(text) }),
      ...(fault !== undefined && { fault: asFault(fault) }),
    }),
  },
  save: {
    fields: '`file`',
    answer: 'once the whole image is in it; asked only where `features.save` is `image`, and refused with the reason where it cannot be',
    images: ['lisp', 'pharo'],
    quiet: true,
    decode: nothing,
  },
  heap: {
    fields: '',
    answer: '`usedSize` and `totalSize` in bytes; `classes` with `name` and `count`, and how many `more` there are',
    images: all,
    quiet: true,
    decode: ({ usedSize, totalSize, classes, more }) => ({
      usedSize: asCount(usedSize),
      totalSize: asCount(totalSize),
      classes: asList(classes, ({ name, count }) => ({ name: asText(name), count: asCount(count) })),
      more: asCount(more),
    }),
  },
  profile: {
    fields: '`action`: `start` or `stop`',
    answer: 'of `stop`: `costs` with `name`, `place` and `ms`, all `ms`, and how many `more` there are',
    images: ['javascript', 'lisp'],
    quiet: true,
    decode: ({ costs, ms, more }) => ({
      costs: asList(costs, ({ name, place, ms: own }) => ({ name: asText(name), place: asText(place), ms: asNumber(own) })),
      ms: asNumber(ms),
      more: asCount(more),
    }),
  },
};
