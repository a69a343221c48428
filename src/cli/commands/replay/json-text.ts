// JSON text of values that came from JSON, at any depth: JSON.stringify runs out of stack where JSON.parse does not.

type Part = { readonly text: string } | { readonly value: unknown };

/** `sorted`: members in the order of their names, so that equal values have equal texts. */
export function jsonText(whole: unknown, { sorted = false }: { readonly sorted?: boolean } = {}): string {
  const written: string[] = [];
  // The last is next.
  const waiting: Part[] = [{ value: whole }];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if ('text' in part) written.push(part.text);
    else if (Array.isArray(part.value)) {
      written.push('[');
      waiting.push({ text: ']' });
      for (let at = part.value.length - 1; at >= 0; at--) waiting.push({ value: part.value[at] }, { text: at === 0 ? '' : ',' });
    } else if (typeof part.value === 'object' && part.value !== null) {
      const members = Object.entries(part.value).filter(([, value]) => value !== undefined);
      if (sorted) members.sort(([a], [b]) => (a < b ? -1 : 1));
      written.push('{');
      waiting.push({ text: '}' });
      for (const [at, [name, value]] of [...members.entries()].reverse())
        waiting.push({ value }, { text: `${at === 0 ? '' : ','}${JSON.stringify(name)}:` });
    } else written.push(JSON.stringify(part.value) ?? 'null');
  }
  return written.join('');
}
