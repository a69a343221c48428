// What the definitions of a surface tell those who read them: descriptions and types.
import { asList, asRecord, type Json } from '../model/value.ts';
import { type Advice, nameOf } from './advice.ts';

export function descriptionAdvice(kind: string, name: string, { description }: Json): readonly Advice[] {
  const about = `${kind} ${name}`;
  const text = typeof description === 'string' ? description.trim() : '';
  if (text === '') {
    return [{ id: 'quality/description/missing', about, message: 'has no description: a model has only its name to go by' }];
  }
  if (text.toLowerCase() === name.toLowerCase()) {
    return [
      { id: 'quality/description/same-as-name', about, path: '/description', message: 'has a description that only repeats its name' },
    ];
  }
  return [];
}

export function parameterAdvice(tool: Json): readonly Advice[] {
  const properties = Object.entries(asRecord(asRecord(tool['inputSchema'])['properties']));
  const silent = properties.filter(([, schema]) => !hasText(asRecord(schema)['description']) && !hasText(asRecord(schema)['$ref']));
  if (silent.length === 0) return [];
  const names = silent.slice(0, 5).map(([name]) => name);
  const more = silent.length > names.length ? ` and ${silent.length - names.length} more` : '';
  return [
    {
      id: 'quality/parameters/description',
      about: `tool ${nameOf(tool)}`,
      path: '/inputSchema/properties',
      message: `says nothing about ${silent.length} of its ${properties.length} parameters: ${names.join(', ')}${more}`,
    },
  ];
}

export function argumentAdvice(prompt: Json): readonly Advice[] {
  const silent = asList(prompt['arguments'])
    .map(asRecord)
    .filter(({ description }) => !hasText(description));
  if (silent.length === 0) return [];
  const names = silent.slice(0, 5).map(nameOf);
  const message = `says nothing about its arguments ${names.join(', ')}`;
  return [{ id: 'quality/parameters/description', about: `prompt ${nameOf(prompt)}`, path: '/arguments', message }];
}

export function resourceAdvice(kind: string, address: string, item: Json): readonly Advice[] {
  const about = `${kind} ${address.length <= 120 ? address : `${address.slice(0, 119)}…`}`;
  const missing = ['description', 'mimeType'].filter((member) => !hasText(item[member]));
  return missing.map((member) => ({
    id: member === 'mimeType' ? 'quality/resources/mime-type' : 'quality/description/missing',
    about,
    message: member === 'mimeType' ? 'has no mimeType: clients must guess how to show it' : 'has no description',
  }));
}

function hasText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
