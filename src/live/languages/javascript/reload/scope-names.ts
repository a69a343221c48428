// The names that a file has by now, for code that runs in its scope: an edit may have added some, moved others elsewhere and taken some away.
import type { ScopeNames } from '../cells/placed-cell.ts';
import type { Runnable } from '../loader/transform.ts';
import { grafted } from './graft.ts';
import { namesOf } from './graft-nodes.ts';
import type { Script } from './swap.ts';
import { type Units, unitsOf } from './units.ts';

export function scopeNames(script: Script, file: string): ScopeNames {
  const format = /__vivarium_scope\?\.\(__filename,/.test(script.base) ? 'commonjs' : 'module';
  const made = (code: string): Runnable => ({ code, format });
  const terms = { id: `f${script.id}`, detached: script.taken, done: script.done };
  const graft = script.base === script.known ? 'as it was' : grafted(made(script.base), made(script.known), terms);
  const isTheSame = typeof graft === 'string';
  const units = isTheSame ? unitsOf(made(script.known)) : graft.units;
  const common = format === 'commonjs' ? ['module', 'exports', 'require', '__filename', '__dirname'] : [];
  return {
    own: new Set([...units.all.flatMap(namesOf), ...common]),
    moved: isTheSame ? new Map() : graft.moved,
    fixed: fixedIn(units, file),
  };
}

function fixedIn({ all }: Units, file: string): Map<string, string> {
  const fixed = new Map<string, string>();
  for (const unit of all) {
    if (unit.kind === 'import')
      fixed.set(unit.name, `${file} imports ${unit.name} from ${unit.from}: assign it there (in), or edit and reload`);
    else if (unit.kind === 'variable' && unit.keyword === 'const')
      for (const name of namesOf(unit)) fixed.set(name, `${name} is a const of ${file}: edit the file and reload`);
  }
  return fixed;
}
