// What a file shows outside after an edit. A module cannot change its exports once it runs: another one in front of it has the new ones.
import type { Exported, Units } from './units.ts';

/** Addresses of modules that have another one in front of them. */
export const fronted: Set<string> = new Set();

export interface Facade {
  /** Names that the file has had since it was loaded. */
  readonly same: readonly string[];
  /** What comes from elsewhere, as it is written after `export`. */
  readonly passed: readonly string[];
  /** Names that are new, each with the place it is kept in. */
  readonly places: ReadonlyMap<string, string>;
  /** Names that mean something else for those who have imported them. */
  readonly other: readonly string[];
}

/** `moved` are names of the file that live elsewhere; `place` keeps what was not shown before. */
export function facadeOf(
  from: Units,
  to: Units,
  moved: ReadonlyMap<string, string>,
  place: (name: string, local: string) => string,
): Facade {
  const same: string[] = [];
  const passed: string[] = [];
  const places = new Map<string, string>();
  for (const [name, one] of to.exports) {
    const old = from.exports.get(name);
    if ('from' in one) passed.push(one.from);
    else if (isSame(old, one) && !moved.has(one.local)) same.push(name);
    else places.set(name, moved.get(one.local) ?? place(name, one.local));
  }
  passed.push(...to.stars.map(({ from: text }) => text));
  const other = [...from.exports].filter(([name, one]) => !isSame(to.exports.get(name), one) || places.has(name)).map(([name]) => name);
  return { same, passed, places, other };
}

function isSame(old: Exported | undefined, now: Exported): boolean {
  if (old === undefined) return false;
  if ('local' in now) return 'local' in old && old.local === now.local;
  return 'from' in old && old.source === now.source && old.imported === now.imported;
}

/** Whether the file shows what it did. */
export function isUnchanged(before: Facade, after: Facade): boolean {
  const text = ({ same, passed, places }: Facade): string => JSON.stringify([[...same].sort(), [...passed].sort(), [...places]]);
  return text(before) === text(after);
}

/** The text of the module in front; `url` is the one behind it. */
export function facadeText(url: string, { same, passed, places }: Facade): string {
  const entries = [...places].map(([name, place], at) => ({ name: JSON.stringify(name), place, local: `e${at}` }));
  const behind = JSON.stringify(url);
  return [
    `import * as whole from ${behind};`,
    `export { ${same.map((name) => JSON.stringify(name)).join(', ')} } from ${behind};`,
    ...passed.map((one) => `export ${one};`),
    ...entries.map(({ local, place }) => `let ${local} = ${place};`),
    `export { ${entries.map(({ local, name }) => `${local} as ${name}`).join(', ')} };`,
    `__vivarium_pass(${behind}, () => { ${entries.map(({ local, place }) => `${local} = ${place};`).join(' ')} }, whole);`,
  ].join('\n');
}

/** In front of CommonJS, of which an ES module has copies. */
export function commonFacadeText(url: string, names: readonly string[]): string {
  const all = `__vivarium_renewal.exports(${JSON.stringify(url)})`;
  const entries = names.map((name, at) => ({ name: JSON.stringify(name), local: `e${at}` }));
  const take = `all = ${all}; ${entries.map(({ name, local }) => `${local} = all?.[${name}];`).join(' ')}`;
  return [
    `import * as whole from ${JSON.stringify(url)};`,
    `let all${entries.map(({ local }) => `, ${local}`).join('')};`,
    take,
    `export { all as default${entries.map(({ local, name }) => `, ${local} as ${name}`).join('')} };`,
    `__vivarium_pass(${JSON.stringify(url)}, () => { ${take} }, whole);`,
  ].join('\n');
}
