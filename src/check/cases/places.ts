// Every place in the arguments of a tool that its schema describes: properties, what is within them, and items of arrays.

import { asList, asRecord, isRecord, type Json } from '../model/value.ts';
import { referred, sampleOf } from '../schemas/sample.ts';

export interface Place {
  /** As a person writes it: `filter.tags[0]`. */
  readonly label: string;
  readonly steps: readonly Step[];
  readonly schema: Json;
}

/** Into a container, of which the schema is kept: it may have to be made first. */
interface Step {
  readonly key: string | number;
  readonly within: Json;
}

export interface Places {
  readonly places: readonly Place[];
  /** The arguments themselves, and every object within them. */
  readonly objects: readonly Place[];
  /** Some were left out: there are more than a file of cases is good for. */
  readonly isCut: boolean;
}

const deepest = 4;
const maxPlaces = 120;
const maxForms = 4;

export function placesIn(root: Json): Places {
  const places: Place[] = [];
  const objects: Place[] = [];
  let isCut = false;

  function visit(place: Place): void {
    for (const schema of forms(place.schema, root)) {
      const { properties, items, additionalProperties } = schema;
      const inner = (key: string | number, label: string, given: unknown): void => {
        if (!isRecord(given)) return;
        if (place.steps.length >= deepest || places.length >= maxPlaces) {
          isCut = true;
          return;
        }
        const next = { label, steps: [...place.steps, { key, within: schema }], schema: whole(given, root) };
        places.push(next);
        visit(next);
      };
      const prefix = place.label === '' ? '' : `${place.label}.`;
      if (isRecord(properties) || hasType(schema, 'object')) objects.push({ ...place, schema });
      for (const [name, given] of Object.entries(asRecord(properties))) inner(name, `${prefix}${name}`, given);
      if (place.steps.length > 0 && isRecord(additionalProperties)) inner('x', `${prefix}*`, additionalProperties);
      if (isRecord(items)) inner(0, `${place.label}[0]`, items);
    }
  }

  visit({ label: '', steps: [], schema: whole(root, root) });
  return { places, objects, isCut };
}

/** The arguments with another value at this place; what has to be there around it is made as the schema has it. */
export function put(base: unknown, { steps }: Pick<Place, 'steps'>, value: unknown, root: Json): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  const { key, within } = step;
  const here = (typeof key === 'number' ? Array.isArray(base) : isRecord(base)) ? base : sampleOf(within, root);
  if (typeof key === 'number') {
    const list = [...asList(here)];
    list[key] = put(list[key], { steps: rest }, value, root);
    return list;
  }
  const record = asRecord(here);
  return { ...record, [key]: put(Object.hasOwn(record, key) ? record[key] : undefined, { steps: rest }, value, root) };
}

export function valueAt(base: unknown, { steps }: Pick<Place, 'steps'>): unknown {
  let here = base;
  for (const { key } of steps) {
    if (typeof key === 'number') here = asList(here)[key];
    else here = isRecord(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  }
  return here;
}

export function hasType({ type }: Json, wanted: string): boolean {
  return type === wanted || asList(type).includes(wanted);
}

/** A schema that only chooses between others is each of them. */
function forms(schema: Json, root: Json): readonly Json[] {
  const choices = [...asList(schema['anyOf']), ...asList(schema['oneOf'])].filter(isRecord).slice(0, maxForms);
  if (choices.length === 0) return [schema];
  const { anyOf, oneOf, ...rest } = schema;
  return choices.map((choice) => ({ ...rest, ...whole(choice, root) }));
}

/** With what it refers to, and all that it joins, in one. */
function whole(schema: Json, root: Json, depth = 0): Json {
  const { $ref, allOf, ...rest } = schema;
  if (depth > deepest || (typeof $ref !== 'string' && !Array.isArray(allOf))) return schema;
  const joined = [...(typeof $ref === 'string' ? [referred($ref, root)] : []), ...asList(allOf)];
  const parts = [...joined.filter(isRecord).map((part) => whole(part, root, depth + 1)), rest];
  const properties = Object.assign({}, ...parts.map((part) => asRecord(part['properties'])));
  const required = parts.flatMap((part) => asList(part['required']));
  return Object.assign({}, ...parts, Object.keys(properties).length > 0 && { properties }, required.length > 0 && { required });
}
