// Node's own printer asks methods that the user's code may have replaced. While it prints, they are what they were.
import { append, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, inspect } from './primordials.ts';

interface Kept {
  readonly owner: object;
  readonly key: PropertyKey;
  readonly as: PropertyDescriptor;
}

const { iterator, match, matchAll, replace, search, split } = Symbol;
const iterators = [[].values(), new Map().entries(), new Set().values(), ''[Symbol.iterator]()];
const methods: readonly (readonly [object, readonly PropertyKey[]])[] = [
  [
    Array.prototype,
    [
      'includes',
      'push',
      'pop',
      'shift',
      'unshift',
      'indexOf',
      'join',
      'map',
      'filter',
      'slice',
      'splice',
      'sort',
      'forEach',
      'concat',
      iterator,
    ],
  ],
  [Map.prototype, ['entries', 'keys', 'values', 'get', 'set', 'has', 'forEach', 'delete', 'size', iterator]],
  [Set.prototype, ['values', 'has', 'add', 'forEach', 'delete', 'size', iterator]],
  [
    String.prototype,
    [
      'slice',
      'split',
      'replace',
      'replaceAll',
      'indexOf',
      'includes',
      'startsWith',
      'endsWith',
      'trim',
      'repeat',
      'padStart',
      'charCodeAt',
      iterator,
    ],
  ],
  [RegExp.prototype, ['exec', 'test', 'flags', match, matchAll, replace, search, split]],
];

/** Each as it was at the start. */
const kept: readonly Kept[] = [
  ...methods.flatMap(([owner, keys]) => keys.map((key) => ({ owner, key }))),
  ...iterators.map((one) => ({ owner: getPrototypeOf(one) as object, key: 'next' })),
].map(({ owner, key }) => ({ owner, key, as: { __proto__: null, ...getOwnPropertyDescriptor(owner, key) } as PropertyDescriptor }));

export function print(value: unknown, options: object): string {
  const moved = restored();
  try {
    return inspect(value, options);
  } finally {
    for (let at = 0; at < moved.length; at++) {
      const { owner, key, as } = moved[at] as Kept;
      defineProperty(owner, key, as);
    }
  }
}

/** What stood there instead, to be put back. */
function restored(): readonly Kept[] {
  const moved: Kept[] = [];
  for (let at = 0; at < kept.length; at++) {
    const { owner, key, as } = kept[at] as Kept;
    const now = getOwnPropertyDescriptor(owner, key);
    if (
      now !== undefined &&
      (hasOwn(as, 'value') ? hasOwn(now, 'value') && now.value === as.value : !hasOwn(now, 'value') && now.get === as.get)
    )
      continue;
    // One that was taken away, or made unchangeable, stays as it is.
    if (now?.configurable !== true) continue;
    defineProperty(owner, key, as);
    append(moved, { owner, key, as: { __proto__: null, ...now } as PropertyDescriptor });
  }
  return moved;
}
