// The tests that a run left out, by name, under the reason: what their file asks for and this machine does not have.

/**
 * `found` is the JSON report of vitest, `textOf` gives the text of a test file, and `lacks` says of a component, or of `reference`,
 * whether it is missing here.
 */
export function leftOut({ testResults }, textOf, lacks) {
  const groups = new Map();
  for (const { name: file, assertionResults } of testResults) {
    const skipped = assertionResults.filter(({ status }) => status === 'skipped' || status === 'pending' || status === 'todo');
    if (skipped.length === 0) continue;
    const reason = reasonIn(textOf(file), lacks);
    const group = groups.get(reason) ?? [];
    groups.set(reason, group);
    group.push(...skipped.map(({ fullName }) => ({ file, name: fullName })));
  }
  return [...groups].map(([reason, tests]) => ({ reason, tests }));
}

function reasonIn(text, lacks) {
  const asked = [...text.matchAll(/\bnotRun\('([\w-]+)'\)/g)].map(([, name]) => name);
  const needs = [...new Set([...asked, ...(/\breference\b/i.test(text) ? ['reference'] : [])])].filter(lacks);
  const words = needs.map((name) => (name === 'reference' ? 'VIVARIUM_REFERENCE is not set' : `${name} is not installed`));
  return words.length === 0 ? 'a condition in the test does not hold here' : words.join(', or ');
}
