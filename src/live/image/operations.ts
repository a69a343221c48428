// What a host asks of an image: the parameters of each operation, and how its result is decoded.
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
    /** `changed`: the files that were taken, where the image can tell; `same`: that there is nothing else to tell than that none was. */
    readonly result: { readonly text: string; readonly failed: boolean; readonly same: boolean; readonly changed: readonly string[] };
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

export interface Operation<Name extends OperationName> {
  /** It brings no text of a caller into the image and runs nothing of the program, so it is not in the audit log. */
  readonly quiet?: true;
  /** Code in the image can answer for it: what is missing or of another type is replaced by something harmless. */
  decode(frame: WireFrame): ResultOf<Name>;
}

/** More than any program has names or files. */
const maxNames = 100_000;
const nothing = (): Nothing => ({});

export const operations: { readonly [Name in OperationName]: Operation<Name> } = {
  ping: { quiet: true, decode: nothing },
  probe: { quiet: true, decode: nothing },
  evaluate: { decode: (frame) => frame },
  interrupt: { quiet: true, decode: nothing },
  abandon: { quiet: true, decode: nothing },
  inspect: { decode: ({ view }) => ({ view: asMembers(view) }) },
  lookup: { decode: ({ text, kind }) => ({ text: asText(text), kind: asText(kind) }) },
  complete: { decode: ({ names }) => ({ names: asTexts(names, maxNames) }) },
  modules: { quiet: true, decode: ({ files }) => ({ files: asTexts(files, maxNames) }) },
  packages: { quiet: true, decode: ({ names }) => ({ names: asTexts(names, maxNames) }) },
  refs: { quiet: true, decode: ({ newest }) => ({ newest: asCount(newest) }) },
  reload: {
    decode: ({ text, failed, same, changed }) => ({
      text: asText(text),
      failed: failed === true,
      same: same === true,
      changed: asTexts(changed, maxNames),
    }),
  },
  debug: {
    decode: (frame) => ({
      pause: asPause(frame),
      ...(frame['value'] !== undefined && { value: asView(frame['value']) }),
      ...(frame['thrown'] !== undefined && { thrown: asText(frame['thrown']) }),
    }),
  },
  check: {
    decode: ({ text, fault }) => ({
      ...(text !== undefined && { text: asText(text) }),
      ...(fault !== undefined && { fault: asFault(fault) }),
    }),
  },
  save: { quiet: true, decode: nothing },
  heap: {
    quiet: true,
    decode: ({ usedSize, totalSize, classes, more }) => ({
      usedSize: asCount(usedSize),
      totalSize: asCount(totalSize),
      classes: asList(classes, ({ name, count }) => ({ name: asText(name), count: asCount(count) })),
      more: asCount(more),
    }),
  },
  profile: {
    quiet: true,
    decode: ({ costs, ms, more }) => ({
      costs: asList(costs, ({ name, place, ms: own }) => ({ name: asText(name), place: asText(place), ms: asNumber(own) })),
      ms: asNumber(ms),
      more: asCount(more),
    }),
  },
};
