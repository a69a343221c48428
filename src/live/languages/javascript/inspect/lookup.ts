// What a name stands for, and where it is used. Names are data: they are taken apart here, never run.

import type { View } from '../../../image/engine.ts';
import type { Inspector, Remote } from '../../../js-runtime/inspector.ts';
import type { Positions } from '../../../js-runtime/positions.ts';
import { bounded, counted, type Defined, membersText, near, sourceText, summaryText } from './lookup-text.ts';
import { type Exported, exportsOf, mentions, type ProjectScripts, placeOf } from './project-scripts.ts';
import { type How, makeLens, type Shape } from './side-effect-free.ts';
import { kindOf } from './signature.ts';

export interface Found {
  readonly text: string;
  /** `class`, `function`, `value`; `none` where there is no such name. */
  readonly kind: string;
}

interface Resolved {
  readonly value: Remote;
  readonly how: How;
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
const maxNames = 5_000;
const maxPlatform = 10;

export class Lookup {
  readonly #inspector: Inspector;
  readonly #scripts: ProjectScripts;
  readonly #positions: Positions;
  #last: Promise<unknown> = Promise.resolve();
  #lens = '';
  /** Names of the platform itself, which nobody searches for among their own. */
  #platform: ReadonlySet<string> = new Set();

  constructor(inspector: Inspector, scripts: ProjectScripts, positions: Positions) {
    this.#inspector = inspector;
    this.#scripts = scripts;
    this.#positions = positions;
  }

  /** Before any code of the user has run. */
  async begin(): Promise<void> {
    const { result } = await this.#inspector.post<{ result: Remote }>('Runtime.evaluate', { expression: `(${makeLens})()` });
    this.#lens = result.objectId ?? '';
    this.#platform = new Set(await this.#globals());
  }

  find(name: string, want: string): Promise<Found> {
    return this.alone(async () => {
      if (want === 'search') return { kind: 'search', text: await this.#search(name.trim()) };
      const path = name.trim().split('.');
      const resolved = await this.#resolve(path);
      if (resolved === undefined) return this.#unbound(name.trim(), want);
      return this.#tell(name.trim(), path, resolved, want);
    });
  }

  /** Names that begin with it; after a dot, those of the members. */
  complete(prefix: string, kind?: string): Promise<string[]> {
    return this.alone(async () => {
      const path = prefix.split('.');
      const last = path.pop() ?? '';
      const known = path.length === 0 ? [...(await this.#lexical()), ...(await this.#globals())] : await this.#members(path);
      const fits = [...new Set(known)].filter((name) => name.startsWith(last) && !name.startsWith('__vivarium_')).sort();
      const own =
        path.length > 0 ? fits : [...fits.filter((name) => !this.#platform.has(name)), ...fits.filter((name) => this.#platform.has(name))];
      const whole = own.slice(0, 300).map((name) => [...path, name].join('.'));
      return kind === undefined ? whole : this.#ofKind(whole, kind);
    });
  }

  /** What one holds on to is let go of when it is done, so no other may be at it meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work).finally(() => this.#inspector.post('Runtime.releaseObjectGroup', { objectGroup: 'look' }));
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Undefined where the first name is not there; throws where it cannot be followed. */
  async #resolve([first = '', ...rest]: readonly string[]): Promise<Resolved | undefined> {
    const ref = /^#(\d+)$/.exec(first)?.[1];
    if (ref !== undefined) return this.#follow(await this.#inspector.find('get', Number(ref)), rest, 'from');
    if (!identifier.test(first)) return undefined;
    // A name a cell or a script declared; what it holds is read as it is.
    if ((await this.#lexical()).includes(first)) {
      return this.#follow(await this.#inspector.look(`({ __proto__: null, value: ${first} })`), rest, 'from.value');
    }
    if (!(await this.#globals()).includes(first)) return undefined;
    return this.#follow({ type: 'undefined' }, [first, ...rest], 'this.global');
  }

  async #follow(from: Remote, path: readonly string[], start: 'from' | 'from.value' | 'this.global'): Promise<Resolved> {
    const code = `function (from, path) { return this.resolve(${start}, path); }`;
    const holder = await this.#ask(code, false, [argumentOf(from), { value: path }]);
    const part = (name: string): Promise<{ result: Remote }> =>
      this.#inspector.post('Runtime.callFunctionOn', {
        objectId: holder.objectId,
        functionDeclaration: `function () { return this.${name}; }`,
        objectGroup: 'look',
      });
    return { value: (await part('value')).result, how: (await part('how')).result.value as Resolved['how'] };
  }

  async #tell(name: string, path: readonly string[], { value, how }: Resolved, want: string): Promise<Found> {
    if (how === 'opaque') {
      const said = `${name} is a Proxy, or stands behind one: looking into it would run code.`;
      return { kind: 'value', text: want === 'callers' ? await this.#callers(name, path.at(-1) ?? name, undefined) : said };
    }
    const shape = await this.#shape(value);
    const { type, description = '' } = value;
    const text = type === 'function' ? this.#scripts.shown.shownText(description) : undefined;
    const kind = shape.type === 'class' ? 'class' : text !== undefined && how === 'value' ? 'function' : 'value';
    if (want === 'members') return { kind, text: membersText(name, shape) };
    const defined = text === undefined ? undefined : await this.#defined(value, text);
    if (want === 'callers') return { kind, text: await this.#callers(name, path.at(-1) ?? name, defined) };
    if (want === 'source') return { kind, text: text === undefined ? await this.#valueText(name, value) : sourceText(name, text, defined) };
    if (text === undefined) return { kind, text: [await this.#valueText(name, value), ...counted(shape)].join('\n') };
    const what = how === 'value' ? kindOf(text) : how;
    return { kind, text: summaryText(name, what, text, defined, counted(shape)) };
  }

  async #valueText(name: string, value: Remote): Promise<string> {
    const { text, ref } = await this.#inspector.ask<View>('view', value);
    const shown = text.length > 500 ? `${text.slice(0, 500)}…` : text;
    return `${name} = ${shown}${ref === undefined ? '' : `   #${ref}`}`;
  }

  /** Undefined for what the platform brings. */
  async #defined({ objectId }: Remote, text: string): Promise<Defined | undefined> {
    const { internalProperties = [] } = await this.#inspector.post<{ internalProperties?: { name: string; value?: Remote }[] }>(
      'Runtime.getProperties',
      { objectId, ownProperties: true },
    );
    const location = internalProperties.find((one) => one.name === '[[FunctionLocation]]')?.value?.value;
    if (location === undefined) return undefined;
    const { scriptId, lineNumber, columnNumber = 0 } = location as { scriptId: string; lineNumber: number; columnNumber?: number };
    const { script, ...now } = await this.#scripts.find(scriptId, lineNumber, columnNumber);
    const offset = offsetOf(script.source, now.line, now.column);
    // Its text begins before the parenthesis that the engine points to.
    const begun = script.source.lastIndexOf(text, offset);
    const start = begun < 0 ? offset : begun;
    const place = placeOf(script, start);
    const before = script.source.slice(0, start).split('\n');
    const at = { file: place.file, line: before.length, column: (before.at(-1) as string).length + 1 };
    const { line } = this.#positions.isSwapped(scriptId) ? await this.#positions.inScript(scriptId, at) : place;
    return { ...place, line, script, start };
  }

  async #callers(name: string, last: string, defined: Defined | undefined): Promise<string> {
    const lines = await this.#mentions(last, defined);
    if (lines.length === 0) return `Nothing loaded from the project mentions ${name}, and no cell does.`;
    const places = lines.length === 1 ? 'place mentions' : 'places mention';
    return [`${lines.length} ${places} ${last}:`, ...bounded(lines)].join('\n');
  }

  async #mentions(name: string, defined?: Defined): Promise<string[]> {
    const lines: string[] = [];
    for (const script of await this.#scripts.all()) {
      for (const { file, line, text } of await mentions(script, name)) {
        if (defined?.file !== file || defined.line !== line) lines.push(`${file}:${line}  ${text}`);
      }
    }
    return lines;
  }

  async #search(part: string): Promise<string> {
    const wanted = part.toLowerCase();
    const fits = (name: string): boolean => name.toLowerCase().includes(wanted) && !name.startsWith('__vivarium_');
    const lexical = (await this.#lexical()).filter(fits);
    const globals = (await this.#globals()).filter(fits);
    const exported = (await this.#exports()).filter(({ name }) => fits(name));
    const lines = [
      ...lexical.map((name) => `${name}  declared in this session`),
      ...exported.map(({ name, file, line }) => `${name}  exported by ${file}:${line}`),
      ...globals.filter((name) => !this.#platform.has(name)).map((name) => `${name}  global`),
      ...bounded(
        globals.filter((name) => this.#platform.has(name)).map((name) => `${name}  of the platform`),
        maxPlatform,
      ),
    ];
    if (lines.length === 0) return `No name contains "${part}"${near(part, await this.#known())}`;
    return bounded([...new Set(lines)]).join('\n');
  }

  /** It may be the export of a module that the session has not imported. */
  async #unbound(name: string, want: string): Promise<Found> {
    const found = (await this.#exports()).filter((one) => one.name === name);
    const [first] = found;
    if (first === undefined) {
      // Methods have names too, which no session declares.
      if (want === 'callers' && (await this.#mentions(name)).length > 0)
        return { kind: 'none', text: await this.#callers(name, name, undefined) };
      return { kind: 'none', text: `There is no ${name.slice(0, 200)} in this session${near(name, await this.#known())}` };
    }
    const kind = /^class\b/.test(first.text) ? 'class' : /^(?:async\s+)?function\b/.test(first.text) ? 'function' : 'value';
    if (want === 'callers') return { kind, text: await this.#callers(name, name, first) };
    if (want === 'source') return { kind, text: sourceText(name, first.text, first) };
    const hint = `Not imported here yet: import { ${name} } from './${first.file}'`;
    const also = found.slice(1, 5).map(({ file, line }) => `Also exported by ${file}:${line}`);
    return { kind, text: summaryText(name, kind === 'value' ? 'export' : kindOf(first.text), first.text, first, [hint, ...also]) };
  }

  async #exports(): Promise<Exported[]> {
    const found: Exported[] = [];
    for (const script of await this.#scripts.all()) found.push(...(await exportsOf(script)));
    return found;
  }

  async #known(): Promise<string[]> {
    return [...(await this.#lexical()), ...(await this.#exports()).map(({ name }) => name), ...(await this.#globals())];
  }

  async #lexical(): Promise<string[]> {
    return (await this.#inspector.post<{ names: string[] }>('Runtime.globalLexicalScopeNames')).names;
  }

  async #globals(): Promise<string[]> {
    const { value } = await this.#ask('function (most) { return this.names(this.global, most); }', true, [{ value: maxNames }]);
    return value as string[];
  }

  async #members(path: readonly string[]): Promise<string[]> {
    const resolved = await this.#resolve(path).catch(() => undefined);
    if (resolved === undefined || resolved.how !== 'value') return [];
    const given = [argumentOf(resolved.value), { value: maxNames }];
    return (await this.#ask('function (value, most) { return this.names(value, most); }', true, given)).value as string[];
  }

  async #shape(value: Remote): Promise<Shape> {
    const given = [argumentOf(value), { value: 200 }];
    return (await this.#ask('function (value, most) { return this.shape(value, most); }', true, given)).value as Shape;
  }

  async #ofKind(names: readonly string[], kind: string): Promise<string[]> {
    const fits: string[] = [];
    for (const name of names.filter((one) => !this.#platform.has(one))) {
      const resolved = await this.#resolve(name.split('.')).catch(() => undefined);
      if (resolved?.how === 'value' && (await this.#shape(resolved.value)).type === kind) fits.push(name);
    }
    return fits;
  }

  async #ask(functionDeclaration: string, returnByValue: boolean, given: readonly object[]): Promise<Remote> {
    const terms = { objectId: this.#lens, functionDeclaration, arguments: given, returnByValue, silent: true };
    const { result, exceptionDetails } = await this.#inspector.post<{
      result: Remote;
      exceptionDetails?: { text: string; exception?: Remote };
    }>('Runtime.callFunctionOn', returnByValue ? terms : { ...terms, objectGroup: 'look' });
    if (exceptionDetails !== undefined) {
      const said = exceptionDetails.exception?.description?.split('\n')[0] ?? exceptionDetails.text;
      throw new Error(said.replace(/^RangeError: t/, 'T').replace(/^RangeError: /, ''));
    }
    return result;
  }
}

function argumentOf({ objectId, unserializableValue, value }: Remote): object {
  if (objectId !== undefined) return { objectId };
  return unserializableValue === undefined ? { value } : { unserializableValue };
}

function offsetOf(source: string, line: number, column: number): number {
  let at = 0;
  for (let left = line; left > 0; left--) at = source.indexOf('\n', at) + 1;
  return at + column;
}
