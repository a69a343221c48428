// Which values are the same JSON, told by hash: ajv compares every item with every other, and a value with every choice.

/** Two items that are the same, if there are such. */
export function twins(list: readonly unknown[]): readonly [first: number, second: number] | undefined {
  if (list.length < 2) return undefined;
  const scalars = new Map<unknown, number>();
  const texts = new Map<unknown, number>();
  for (let at = 0; at < list.length; at++) {
    const item = list[at];
    const [seen, key] = isComposed(item) ? [texts, textOf(item)] : [scalars, item];
    const before = seen.get(key);
    if (before !== undefined) return [before, at];
    seen.set(key, at);
  }
  return undefined;
}

/** Lists and objects are still compared one by one: that mostly stops at once, and a key would cost the whole value. */
export function amongOf(allowed: readonly unknown[]): (value: unknown) => boolean {
  const scalars: ReadonlySet<unknown> = new Set(allowed.filter((one) => !isComposed(one)));
  const others = allowed.filter(isComposed);
  return (value) => scalars.has(value) || (isComposed(value) && others.some((one) => same(value, one)));
}

export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isComposed(a) || !isComposed(b)) return Number.isNaN(a) && Number.isNaN(b);
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(Reflect.get(a, key), Reflect.get(b, key)))
  );
}

/** As JSON, with the members in one order. */
function textOf(value: unknown): string {
  if (!isComposed(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  // Dates and their like: what would be sent.
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return textOf(toJSON.call(value));
  const members = value as Readonly<Record<string, unknown>>;
  return `{${Object.keys(members)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${textOf(members[key])}`)
    .join()}}`;
}

export function isComposed(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
