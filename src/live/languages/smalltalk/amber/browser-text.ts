// What a browser found, in words.
import { type Behavior, methodsOf, nameOf, packageOf } from './amber.ts';
import { type Browser, type Entry, entryName, type Named } from './browser.ts';

const maxLines = 200;
const maxSources = 20;

export function namedText(browser: Browser, found: Named, want: string): string {
  switch (found.kind) {
    case 'class':
      return classText(browser, found.behavior, want);
    case 'method':
      return methodText(browser, found, want);
    case 'package':
      return packageText(found.name, found.classes, want);
    case 'selector':
      return selectorText(browser, found.selector, found.implementors, want);
  }
}

export function searchText(browser: Browser, part: string, variables: readonly string[]): string {
  const wanted = part.toLowerCase();
  const fits = (name: string): boolean => name.toLowerCase().includes(wanted);
  const classes = browser.classes().filter((one) => fits(nameOf(one)));
  const selectors = new Map<string, number>();
  for (const entry of browser.entries())
    if (fits(entry.method.selector)) selectors.set(entry.method.selector, (selectors.get(entry.method.selector) ?? 0) + 1);
  const lines = [
    ...variables.filter(fits).map((name) => `${name}  a variable of this session`),
    ...[...classes.filter((one) => browser.isOwnClass(one)), ...classes.filter((one) => !browser.isOwnClass(one))].map(
      (one) => `${nameOf(one)}  a ${one.trait === true ? 'trait' : 'class'} in ${packageOf(one)}`,
    ),
    ...browser
      .packages()
      .filter(fits)
      .map((name) => `${name}  a package`),
    ...[...selectors].map(([selector, count]) => `#${selector}  a selector with ${counted(count, 'implementor')}`),
  ];
  return lines.length === 0 ? `No name contains "${part}"` : bounded(lines).join('\n');
}

/** As it would be written to define it. */
function definitionOf(behavior: Behavior): string {
  const { superclass, slots, trait, instanceClass } = behavior;
  if (instanceClass !== undefined) return `${nameOf(behavior)} slots: {${slots.map((one) => `#${one}`).join('. ')}}`;
  if (trait === true) return `Trait named: #${nameOf(behavior)}\n\tpackage: '${packageOf(behavior)}'`;
  const above = superclass === null ? 'nil' : nameOf(superclass);
  return `${above} subclass: #${nameOf(behavior)}\n\tslots: {${slots.map((one) => `#${one}`).join('. ')}}\n\tpackage: '${packageOf(behavior)}'`;
}

function classText(browser: Browser, behavior: Behavior, want: string): string {
  const name = nameOf(behavior);
  const sides = behavior.instanceClass === undefined && behavior.trait !== true ? [behavior, behavior.a$cls] : [behavior];
  if (want === 'details') return JSON.stringify(detailsOf(behavior));
  if (want === 'source') {
    const methods = sides.flatMap((side) => methodsOf(side).map((method) => ({ behavior: side, method })));
    const shown = methods
      .slice(0, 100)
      .map(({ behavior: side, method }) => `"${nameOf(side)}, ${method.protocol}"\n${method.source.trim()}`);
    const left = methods.length - shown.length;
    return [definitionOf(behavior), ...shown, ...(left > 0 ? [`… ${left} more methods`] : [])].join('\n\n');
  }
  if (want === 'members') return sides.map(protocolsText).join('\n');
  if (want === 'callers') return referencesText(browser.references(behavior), name, browser);
  const methods = sides
    .map((side) => `${counted(methodsOf(side).length, 'method')}${side === behavior ? '' : ' on the class side'}`)
    .join(', ');
  const below = (behavior.subclasses ?? []).map(nameOf).sort();
  return [
    `${behavior.trait === true ? 'trait' : 'class'} ${name} in ${packageOf(behavior)}`,
    ...(behavior.trait === true ? [] : [`superclasses: ${chain(behavior).join(' < ') || 'none'}`]),
    ...(below.length === 0 ? [] : [`subclasses: ${below.slice(0, 20).join(', ')}${below.length > 20 ? ', …' : ''}`]),
    ...(behavior.trait === true ? [] : [`instance variables: ${behavior.slots.join(' ') || 'none'}`]),
    methods,
    ...(behavior.comment === undefined || behavior.comment === '' ? [] : [`"${behavior.comment.trim()}"`]),
  ].join('\n');
}

/** For programs. */
function detailsOf(behavior: Behavior): object {
  const { superclass, slots = [], subclasses = [], comment = '', trait } = behavior;
  return {
    name: nameOf(behavior),
    superclass: superclass === null || superclass === undefined ? null : nameOf(superclass),
    package: packageOf(behavior),
    comment,
    instanceVariables: slots,
    subclasses: subclasses.map(nameOf).sort(),
    methods: byProtocol(behavior),
    classMethods: behavior.instanceClass === undefined && trait !== true ? byProtocol(behavior.a$cls) : {},
  };
}

function byProtocol(behavior: Behavior): Record<string, string[]> {
  const protocols: Record<string, string[]> = {};
  for (const { protocol, selector } of methodsOf(behavior)) protocols[protocol] = [...(protocols[protocol] ?? []), selector];
  return protocols;
}

function protocolsText(behavior: Behavior): string {
  const protocols = new Map<string, string[]>();
  for (const { protocol, selector } of methodsOf(behavior)) protocols.set(protocol, [...(protocols.get(protocol) ?? []), selector]);
  const lines = [...protocols].sort(([a], [b]) => (a < b ? -1 : 1)).map(([protocol, selectors]) => `  ${protocol}: ${selectors.join(' ')}`);
  return [`${nameOf(behavior)}: ${counted(methodsOf(behavior).length, 'method')}`, ...bounded(lines)].join('\n');
}

function methodText(browser: Browser, entry: Entry, want: string): string {
  const { method } = entry;
  if (want === 'source') return `"${entryName(entry)}, ${method.protocol}"\n${method.source.trim()}`;
  if (want === 'callers') return sendersText(browser, method.selector);
  if (want === 'members') return `${entryName(entry)} sends ${method.messageSends.map((one) => `#${one}`).join(' ') || 'nothing'}`;
  const comment = /"([^"]*)"/.exec(method.source)?.[1];
  return [
    `method ${entryName(entry)} in the protocol ${method.protocol}`,
    ...(comment === undefined ? [] : [`"${comment.trim()}"`]),
    `sends: ${method.messageSends.map((one) => `#${one}`).join(' ') || 'nothing'}`,
    `${counted(browser.implementors(method.selector).length, 'implementor')}, ${counted(browser.senders(method.selector).length, 'sender')}`,
  ].join('\n');
}

function packageText(name: string, classes: readonly Behavior[], want: string): string {
  if (want === 'source') return bounded(classes.map(definitionOf)).join('\n\n');
  const lines = classes.map((one) => `  ${nameOf(one)}  ${counted(methodsOf(one).length, 'method')}`);
  return [`package ${name}: ${counted(classes.length, 'class', 'classes')}`, ...bounded(lines)].join('\n');
}

function selectorText(browser: Browser, selector: string, implementors: readonly Entry[], want: string): string {
  if (want === 'callers') return sendersText(browser, selector);
  const shown = implementors.slice(0, maxSources);
  const left = implementors.length - shown.length;
  if (want === 'source')
    return [...shown.map((entry) => methodText(browser, entry, 'source')), ...(left > 0 ? [`… ${left} more implementors`] : [])].join(
      '\n\n',
    );
  return [
    `#${selector} has ${counted(implementors.length, 'implementor')} and ${counted(browser.senders(selector).length, 'sender')}`,
    ...bounded(implementors.map((entry) => `  ${entryName(entry)}  ${entry.method.protocol}`)),
  ].join('\n');
}

function sendersText(browser: Browser, selector: string): string {
  const senders = browser.senders(selector);
  if (senders.length === 0) return `Nothing sends #${selector}.`;
  return [`#${selector} has ${counted(senders.length, 'sender')}`, ...listed(senders, browser)].join('\n');
}

function referencesText(entries: readonly Entry[], name: string, browser: Browser): string {
  if (entries.length === 0) return `No method names ${name}.`;
  return [`${counted(entries.length, 'method')} that name${entries.length === 1 ? 's' : ''} ${name}:`, ...listed(entries, browser)].join(
    '\n',
  );
}

function listed(entries: readonly Entry[], browser: Browser): string[] {
  return bounded(entries.map((entry) => `  ${entryName(entry)}${browser.isOwn(entry) ? '' : '  (of the system)'}`));
}

function chain({ superclass }: Behavior): string[] {
  return superclass === null || superclass === undefined ? [] : [nameOf(superclass), ...chain(superclass)];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function bounded(lines: readonly string[]): string[] {
  const left = lines.length - maxLines;
  return left > 0 ? [...lines.slice(0, maxLines), `… ${left} more`] : [...lines];
}
