// Cases made from the schema of a tool's input, without chance: valid, at the bounds, invalid by each keyword, hostile.
import { compileUntrusted, type UntrustedSchema } from '../../schema/untrusted.ts';
import { asList, asRecord, isRecord, type Json } from '../model/value.ts';
import { sampleOf } from '../schemas/sample.ts';
import type { Case, CaseKind, ExpectedOutcome } from './case.ts';
import { type Place, type Places, placesIn, put, valueAt } from './places.ts';
import { valuesFor } from './values.ts';

export interface Generated {
  /** In the order of the schema. */
  readonly cases: readonly Case[];
  /** Why there are none, or fewer than there might be. */
  readonly note?: string;
}

interface Candidate {
  readonly name: string;
  readonly kind: CaseKind;
  readonly arguments: Json;
  /** Whether the schema is to admit it. */
  readonly fits: boolean;
  readonly outcome: ExpectedOutcome;
}

export async function generateCases(tool: Json): Promise<Generated> {
  const { name, inputSchema } = tool;
  if (typeof name !== 'string' || !isRecord(inputSchema)) return { cases: [], note: 'it has no name or no schema' };
  const schema = await compileUntrusted(inputSchema);
  if (schema.fault !== undefined) return { cases: [], note: `its schema cannot be compiled: ${schema.fault}` };
  const base = asRecord(sampleOf(inputSchema));
  const fitting = (value: unknown): boolean | undefined => fits(schema, value);
  if (fitting(base) !== true) return { cases: [], note: 'no arguments could be made that its schema admits' };
  const found = placesIn(inputSchema);
  const seen = new Set<string>();
  const cases = candidates(inputSchema, base, found)
    .filter(({ arguments: given, fits }) => fitting(given) === fits)
    .filter(({ arguments: given }) => {
      const text = JSON.stringify(given);
      return !seen.has(text) && seen.add(text);
    })
    .map(({ name: title, kind, arguments: given, outcome }) => ({ name: title, tool: name, kind, arguments: given, expect: { outcome } }));
  return { cases, ...(found.isCut && { note: 'its schema is too deep or too wide for all of it to be tried' }) };
}

/** Undefined where it takes too long to tell. */
function fits(schema: UntrustedSchema, value: unknown): boolean | undefined {
  try {
    const { problem, unchecked } = schema.check(value);
    return unchecked === undefined ? problem === undefined : undefined;
  } catch {
    return undefined;
  }
}

function candidates(schema: Json, base: Json, { places, objects }: Places): readonly Candidate[] {
  const top = places.filter(({ steps }) => steps.length === 1);
  const whole = top.reduce<unknown>((sum, place) => {
    return valueAt(sum, place) === undefined ? put(sum, place, sampleOf(place.schema, schema), schema) : sum;
  }, base);
  const extra = { ...base, 'vivarium-extra': 'x' };
  return [
    { name: 'only what is required', kind: 'valid', arguments: base, fits: true, outcome: 'accepted' },
    { name: 'everything there is', kind: 'valid', arguments: asRecord(whole), fits: true, outcome: 'accepted' },
    ...objects.flatMap((place) => leftOut(place, schema, base)),
    ...objects.map((place) => withMore(place, schema, base)),
    { name: 'a member that is not known', kind: 'extra', arguments: extra, fits: true, outcome: 'answered' },
    ...places.flatMap((place) =>
      valuesFor(place.schema, schema, place.steps.length > 1).map(({ what, value, ...rest }) => ({
        ...rest,
        name: `${place.label}: ${what}`,
        arguments: asRecord(put(base, place, value, schema)),
      })),
    ),
  ];
}

/** The object at that place, as it is or as its schema would have it. */
function objectAt(place: Place, schema: Json, base: Json): Json {
  return asRecord(valueAt(base, place) ?? sampleOf(place.schema, schema));
}

function leftOut(place: Place, schema: Json, base: Json): readonly Candidate[] {
  const here = objectAt(place, schema, base);
  const required = asList(place.schema['required']).filter((name) => typeof name === 'string');
  return required.map((name) => {
    const { [name]: _, ...rest } = here;
    const label = place.label === '' ? name : `${place.label}.${name}`;
    return {
      name: `${label}: left out`,
      kind: 'missing',
      arguments: asRecord(put(base, place, rest, schema)),
      fits: false,
      outcome: 'refused',
    };
  });
}

function withMore(place: Place, schema: Json, base: Json): Candidate {
  const more = { ...objectAt(place, schema, base), 'vivarium-extra': 'x' };
  const name = `${place.label === '' ? '' : `${place.label}: `}a member that is not known, and not allowed`;
  return { name, kind: 'extra', arguments: asRecord(put(base, place, more, schema)), fits: false, outcome: 'refused' };
}
