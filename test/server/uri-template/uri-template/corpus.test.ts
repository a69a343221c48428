// The official test data of RFC 6570 as judge of expansion, and of what is refused.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { matchTemplate } from '../../../../src/server/uri-template/match.ts';
import { parseTemplate, type TemplateValue, type UriTemplate } from '../../../../src/server/uri-template/uri-template.ts';

interface Group {
  readonly variables: Readonly<Record<string, TemplateValue>>;
  readonly testcases: readonly (readonly [template: string, expected: string | readonly string[] | false])[];
}

const reference = process.env['VIVARIUM_REFERENCE'];

describe.skipIf(reference === undefined)('the official test data', () => {
  const files = ['spec-examples.json', 'spec-examples-by-section.json', 'extended-tests.json'];
  const cases = files.flatMap((file) =>
    Object.entries(groups(file)).flatMap(([section, { variables, testcases }]) =>
      testcases.map(([template, expected]) => ({ section, template, variables, accepted: [expected].flat() })),
    ),
  );

  it.each(cases)('expands $template ($section)', ({ template, variables, accepted }) => {
    expect(accepted).toContain(parsed(template, { repeats: true }).expand(variables));
  });

  it('has three templates with a repeated name, which only expand', () => {
    const refused = new Set(cases.map(({ template }) => template).filter((template) => 'problem' in parseTemplate(template)));
    expect([...refused].sort()).toEqual(['{.who,who}', '{/var:1,var}', '{/who,who}']);
    expect(matchTemplate(parsed('{/who,who}', { repeats: true }), '/fred/fred')).toBeUndefined();
  });

  it('comes whole', () => {
    expect(cases.length).toBeGreaterThan(230);
  });

  const { variables, testcases } = Object.values(groups('negative-tests.json'))[0] ?? { variables: {}, testcases: [] };
  const wrongValues = ['{keys:1}', '{+keys:1}'];

  it.each(testcases.filter(([template]) => !wrongValues.includes(template)))('refuses to parse %s', (template) => {
    expect(parseTemplate(template, { repeats: true })).toEqual({ problem: expect.stringMatching(/: write \S/) });
  });

  it.each(wrongValues)('refuses to expand %s with a map', (template) => {
    expect(testcases).toContainEqual([template, false]);
    expect(() => parsed(template).expand(variables)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  });
});

function groups(file: string): Readonly<Record<string, Group>> {
  if (reference === undefined) return {};
  return JSON.parse(readFileSync(join(reference, 'corpora', 'uri-template', file), 'utf8'));
}

function parsed(text: string, options?: { readonly repeats: boolean }): UriTemplate {
  const template = parseTemplate(text, options);
  if ('problem' in template) throw new Error(template.problem);
  return template;
}
