// Definitions of tools that known vendors of models refuse, by the words of their own errors.
import { asList, asRecord, isRecord, type Json } from '../model/value.ts';
import { type Advice, nameOf } from './advice.ts';
import { partsOf, type SchemaPart } from './schema-parts.ts';

/** One refused tool makes a whole request fail, with every other tool in it. */
export function vendorAdvice(tools: readonly Json[]): readonly Advice[] {
  const advice = tools.flatMap((tool) => [...nameAdvice(tool), ...descriptionAdvice(tool), ...schemaAdvice(tool)]);
  if (tools.length <= 128) return advice;
  const message = `are ${tools.length}: "array too long. Expected an array with maximum length 128"`;
  return [{ id: 'quality/vendors/many', about: 'tools', message, vendors: ['OpenAI'] }, ...advice];
}

function nameAdvice(tool: Json): readonly Advice[] {
  const about = `tool ${nameOf(tool)}`;
  const name = String(tool['name']);
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    const message = 'has a name with other characters than letters, digits, _ and -: "string does not match pattern ^[a-zA-Z0-9_-]+$"';
    return [{ id: 'quality/vendors/name', about, path: '/name', message, vendors: ['OpenAI', 'Anthropic'] }];
  }
  if (name.length <= 64) return [];
  const message = `has a name of ${name.length} characters: "string too long. Expected a string with maximum length 64"`;
  return [{ id: 'quality/vendors/name-length', about, path: '/name', message, vendors: ['OpenAI'] }];
}

function descriptionAdvice(tool: Json): readonly Advice[] {
  const { description } = tool;
  if (typeof description !== 'string' || description.length <= 1024) return [];
  const message = `has a description of ${description.length} characters: "string too long. Expected a string with maximum length 1024"`;
  return [{ id: 'quality/vendors/description-length', about: `tool ${nameOf(tool)}`, path: '/description', message, vendors: ['OpenAI'] }];
}

interface Refusal {
  readonly id: string;
  readonly vendors: readonly string[];
  readonly message: string;
  readonly refuses: (part: SchemaPart) => boolean;
}

const unions = ['anyOf', 'oneOf', 'allOf'];

const refusals: readonly Refusal[] = [
  {
    id: 'quality/vendors/root-union',
    vendors: ['Anthropic', 'OpenAI'],
    message: 'has anyOf, oneOf or allOf at the root: "input_schema does not support oneOf, allOf, or anyOf at the top level"',
    refuses: ({ schema, path }) => path === '' && unions.some((keyword) => Object.hasOwn(schema, keyword)),
  },
  {
    id: 'quality/vendors/root-reference',
    vendors: ['Anthropic', 'OpenAI'],
    message: 'has a $ref at the root, and no properties of its own to be filled in',
    refuses: ({ schema, path }) => path === '' && Object.hasOwn(schema, '$ref'),
  },
  {
    id: 'quality/vendors/array-items',
    vendors: ['OpenAI'],
    message: 'has an array without items: "array schema missing items"',
    refuses: ({ schema }) => hasType(schema, 'array') && !isRecord(schema['items']) && !Object.hasOwn(schema, 'prefixItems'),
  },
  {
    id: 'quality/vendors/property-names',
    vendors: ['Anthropic'],
    message: 'has a property with an unusual name: "Property keys should match pattern \'^[a-zA-Z0-9_.-]{1,64}$\'"',
    refuses: ({ schema, path }) => path === '' && Object.keys(asRecord(schema['properties'])).some((name) => !/^[\w.-]{1,64}$/.test(name)),
  },
  {
    id: 'quality/vendors/formats',
    vendors: ['Google'],
    message: "has a format of text that is not known: \"only 'enum' and 'date-time' are supported for STRING type\"",
    refuses: ({ schema }) =>
      hasType(schema, 'string') && typeof schema['format'] === 'string' && !/^(?:enum|date-time)$/.test(schema['format']),
  },
  {
    id: 'quality/vendors/enum-types',
    vendors: ['Google'],
    message: 'has an enum of other values than text: "Invalid value at … enum[0] (TYPE_STRING)"',
    refuses: ({ schema }) => Array.isArray(schema['enum']) && schema['enum'].some((value) => typeof value !== 'string'),
  },
  {
    id: 'quality/vendors/reference-siblings',
    vendors: ['Google'],
    message: 'has a $ref beside other keywords: "only description and default can be set alongside it"',
    refuses: ({ schema }) =>
      Object.hasOwn(schema, '$ref') && Object.keys(schema).some((key) => !/^(?:\$ref|description|default)$/.test(key)),
  },
  {
    id: 'quality/vendors/depth',
    vendors: ['OpenAI'],
    message: 'is nested deeper than 10 levels, the most that strict schemas may have',
    refuses: ({ depth }) => depth > 10,
  },
];

const maxProperties = 5_000;

function schemaAdvice(tool: Json): readonly Advice[] {
  const about = `tool ${nameOf(tool)}`;
  const parts = partsOf(tool['inputSchema']);
  const found = refusals.flatMap(({ id, vendors, message, refuses }): Advice[] => {
    const at = parts.filter(refuses);
    const [first] = at;
    if (first === undefined) return [];
    return [
      { id, about, path: `/inputSchema${first.path}`, message: at.length === 1 ? message : `${message} (${at.length} places)`, vendors },
    ];
  });
  return [...found, ...sizeAdvice(about, parts), ...recursionAdvice(about, tool)];
}

function sizeAdvice(about: string, parts: readonly SchemaPart[]): readonly Advice[] {
  const properties = parts.reduce((sum, { schema }) => sum + Object.keys(asRecord(schema['properties'])).length, 0);
  if (properties <= maxProperties) return [];
  const message = `has ${properties} properties, and a strict schema may have ${maxProperties}`;
  return [{ id: 'quality/vendors/properties', about, path: '/inputSchema', message, vendors: ['OpenAI'] }];
}

/** Many clients write definitions out where they are referred to, which has no end for one that refers to itself. */
function recursionAdvice(about: string, tool: Json): readonly Advice[] {
  const root = asRecord(tool['inputSchema']);
  for (const keyword of ['$defs', 'definitions']) {
    for (const [name, definition] of Object.entries(asRecord(root[keyword]))) {
      const own = `#/${keyword}/${name}`;
      if (!partsOf(definition).some(({ schema }) => schema['$ref'] === own)) continue;
      const message = `has the definition ${name.slice(0, 80)}, which refers to itself: clients that write definitions out cannot end`;
      return [{ id: 'quality/vendors/recursion', about, path: `/inputSchema/${keyword}`, message, vendors: ['Google'] }];
    }
  }
  return [];
}

function hasType(schema: Json, type: string): boolean {
  return schema['type'] === type || asList(schema['type']).includes(type);
}
