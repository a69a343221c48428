// All advice on a server's surface: what it costs, what models and their vendors stumble over, what users miss.
import { isNamedBy } from '../catalogue/catalogue.ts';
import type { CheckOptions } from '../model/options.ts';
import type { Greeting } from '../model/rule.ts';
import type { Surface } from '../model/surface.ts';
import type { Conversation } from '../model/trace.ts';
import { type Advice, nameOf } from './advice.ts';
import { hintAdvice } from './hints.ts';
import { listAdvice } from './lists.ts';
import { changesSince, type SurfaceChange } from './lock.ts';
import { processAdvice } from './process.ts';
import { argumentAdvice, descriptionAdvice, parameterAdvice, resourceAdvice } from './texts.ts';
import { type Bill, billAdvice, billOf } from './token-cost.ts';
import { vendorAdvice } from './vendors.ts';

export interface Quality {
  readonly bill: Bill;
  readonly advice: readonly Advice[];
  /** Since the lock that was given. */
  readonly changes?: readonly SurfaceChange[];
}

/** `only` and `skip` choose among advice as they do among requirements. */
export function qualityOf(
  surface: Surface,
  { lock, only, skip }: Pick<CheckOptions, 'lock' | 'only' | 'skip'> = {},
  seen?: Conduct,
): Quality {
  const isChosen = ({ id }: Advice): boolean => {
    const named = (patterns: readonly string[]): boolean => patterns.some((pattern) => isNamedBy(id, pattern));
    return (only === undefined || named(only)) && (skip === undefined || !named(skip));
  };
  return {
    bill: billOf(surface),
    advice: [...(seen === undefined ? [] : conductAdvice(seen)), ...adviceOn(surface)].filter(isChosen),
    ...(lock !== undefined && { changes: changesSince(lock, surface) }),
  };
}

/** How it behaved on a connection, and what it said of itself there. */
interface Conduct {
  readonly conversation: Conversation;
  readonly greeting: Pick<Greeting, 'capabilities'>;
}

function conductAdvice({ conversation, greeting }: Conduct): readonly Advice[] {
  return [...processAdvice(conversation), ...listAdvice(conversation, greeting.capabilities)];
}

/** In the order of the lists; empty for a surface without fault. */
export function adviceOn(surface: Surface): readonly Advice[] {
  return [
    ...billAdvice(surface),
    ...surface.tools.flatMap((tool) => [...descriptionAdvice('tool', nameOf(tool), tool), ...parameterAdvice(tool), ...hintAdvice(tool)]),
    ...vendorAdvice(surface.tools),
    ...surface.prompts.flatMap((prompt) => [...descriptionAdvice('prompt', nameOf(prompt), prompt), ...argumentAdvice(prompt)]),
    ...surface.resources.flatMap((resource) => resourceAdvice('resource', String(resource['uri']), resource)),
    ...surface.templates.flatMap((template) => resourceAdvice('template', String(template['uriTemplate']), template)),
    ...duplicates('tool', surface.tools.map(nameOf)),
    ...duplicates('prompt', surface.prompts.map(nameOf)),
    ...duplicates(
      'resource',
      surface.resources.map(({ uri }) => String(uri)),
    ),
    ...nearDuplicates(surface.tools.map(nameOf)),
  ];
}

function duplicates(kind: string, names: readonly string[]): readonly Advice[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([name, count]) => ({ id: 'quality/names/duplicate', about: `${kind} ${name}`, message: `is listed ${count} times` }));
}

/** What differs only in case or in signs is one name to many clients, which change names to fit their vendor. */
function nearDuplicates(names: readonly string[]): readonly Advice[] {
  const groups = new Map<string, Set<string>>();
  for (const name of names) {
    const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '_');
    groups.set(plain, (groups.get(plain) ?? new Set()).add(name));
  }
  return [...groups.values()]
    .filter((group) => group.size > 1)
    .map((group) => ({
      id: 'quality/names/alike',
      about: `tools ${[...group].join(', ')}`,
      message: 'have names that differ only in case or in signs: clients that rewrite names take them for one',
    }));
}
