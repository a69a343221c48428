// The union of all ids, by which the compiler checks rules, probes, scenarios and mutants: written from the catalogue.
// After a change of an id: npx vitest run --project house requirement-ids -u
import { expect, it } from 'vitest';
import { catalogue } from '../../src/check/catalogue/catalogue.ts';
import { sectionOf } from '../../src/check/model/requirement.ts';

const maxWidth = 136;

it('the type of requirement ids is that of the catalogue', async () => {
  const sections = new Set(catalogue.map(sectionOf));
  const lines = [...sections].flatMap((section) =>
    packed(catalogue.filter((one) => sectionOf(one) === section).map(({ id }) => `| '${id}'`)),
  );
  const text = [
    '// Written from the catalogue by test/house/requirement-ids.test.ts, which says how to write it again.',
    '',
    '// biome-ignore format: one line for each id would be longer than a file may be',
    'export type RequirementId =',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
  await expect(`${text};\n`).toMatchFileSnapshot('../../src/check/model/requirement-id.ts');
});

/** As many on a line as there is room for. */
function packed(members: readonly string[]): string[] {
  const lines: string[] = [];
  for (const member of members) {
    const longer = `${lines.at(-1) ?? ''} ${member}`;
    if (lines.length > 0 && longer.length <= maxWidth) lines[lines.length - 1] = longer;
    else lines.push(member);
  }
  return lines;
}
