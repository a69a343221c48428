// How deeply a text in YAML is nested, before a parser that calls itself for each level sees it.

/** Where the stack of such a parser ends while a regular expression is compiled, V8 ends the whole process. */
const deepest = 250;
const widestLead = 500;

/** By its brackets, wherever they stand, and by what stands before the first word of a line: nobody's settings come near it. */
export function isNestedDeeply(yaml: string): boolean {
  let [depth, lead, atStart] = [0, 0, true];
  for (const one of yaml) {
    if (one === '[' || one === '{') depth++;
    else if ((one === ']' || one === '}') && depth > 0) depth--;
    if (one === '\n') [lead, atStart] = [0, true];
    else if (atStart && (one === ' ' || one === '-' || one === '?' || one === ':')) lead++;
    else atStart = false;
    if (depth > deepest || lead > widestLead) return true;
  }
  return false;
}
