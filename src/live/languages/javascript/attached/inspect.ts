// A look into the values of an attached program: the engine itself refuses whatever would change something.
import type { Member, Members, View } from '../../../image/engine.ts';
import { Refused } from '../../../image/refusal.ts';
import type { Protocol } from './protocol.ts';
import { type Evaluated, isCut, type Remote, textOf, typeOf } from './remote.ts';

interface Property {
  readonly name: string;
  readonly value?: Remote;
  readonly get?: Remote;
  readonly set?: Remote;
}

interface Properties {
  readonly result: readonly Property[];
  readonly internalProperties?: readonly { readonly name: string; readonly value?: Remote }[];
  readonly exceptionDetails?: Evaluated['exceptionDetails'];
}

const lookMs = 1_000;
const pageLength = 50;
const maxMembers = 10_000;
const maxHeld = 100;

export class ValueInspector {
  readonly #protocol: Protocol;
  /** The newest; older ones are let go of, so that we hold nothing of the program for long. */
  readonly #held: Map<number, Remote> = new Map();
  #next = 1;

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  view(remote: Remote): View {
    const ref = this.#hold(remote);
    return { text: textOf(remote), type: typeOf(remote), ...(ref !== undefined && { ref }), ...(isCut(remote) && { cut: true as const }) };
  }

  async inspect(target: number | string, path: readonly string[], offset: number): Promise<Members> {
    let found = typeof target === 'number' ? this.#get(target) : await this.evaluate(target);
    for (const key of path) {
      const member = (await this.#properties(found)).find((one) => one.name === key);
      if (member === undefined) throw new Error(`There is no ${key} in ${typeOf(found)}`);
      if (member.value === undefined) throw new Error(`${key} is a getter: reading it would run code`);
      found = member.value;
    }
    const all = await this.#properties(found);
    const members = all.slice(offset, offset + pageLength).map((one): Member => {
      if (one.value === undefined) return { key: one.name, text: one.get === undefined ? '[setter]' : '[getter]' };
      const ref = this.#hold(one.value);
      return { key: one.name, text: textOf(one.value).slice(0, 200), ...(ref !== undefined && { ref }) };
    });
    return { ...this.view(found), members, offset, total: all.length };
  }

  /** Reads and changes nothing. */
  async evaluate(expression: string): Promise<Remote> {
    const terms = {
      expression,
      throwOnSideEffect: true,
      timeout: lookMs,
      silent: true,
      objectGroup: 'vivarium',
      replMode: true,
      generatePreview: true,
    };
    const { result, exceptionDetails } = await this.#protocol.ask<Evaluated>('Runtime.evaluate', terms);
    if (exceptionDetails === undefined) return result;
    const [message = ''] = (exceptionDetails.exception?.description ?? exceptionDetails.text).split('\n');
    if (!message.startsWith('EvalError: Possible side-effect')) throw new Error(message);
    throw new Error('This would change something, or might: inspect changes nothing, so use evaluate');
  }

  /** Own ones only. A Proxy is not asked: its traps would run. */
  async #properties(of: Remote): Promise<readonly Property[]> {
    const { objectId, subtype } = of;
    if (objectId === undefined || subtype === 'proxy') return [];
    const count = await this.#count(objectId);
    if (count > maxMembers) throw new Error(`It has ${count} members, too many to be asked for: evaluate a part of it`);
    const { result, internalProperties = [] } = await this.#protocol.ask<Properties>('Runtime.getProperties', {
      objectId,
      ownProperties: true,
      generatePreview: true,
    });
    const entries = internalProperties.find(({ name }) => name === '[[Entries]]')?.value;
    return entries === undefined || (subtype !== 'map' && subtype !== 'set') ? result : this.#entries(entries);
  }

  async #entries({ objectId }: Remote): Promise<readonly Property[]> {
    const { result } = await this.#protocol.ask<Properties>('Runtime.getProperties', {
      objectId,
      ownProperties: true,
      generatePreview: true,
    });
    return result.filter(({ name }) => /^\d+$/.test(name));
  }

  /** Before they are all sent. */
  async #count(objectId: string): Promise<number> {
    const { result } = await this.#protocol.ask<Evaluated>('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration:
        'function () { return ArrayBuffer.isView(this) ? this.length : Reflect.ownKeys(this).length + (this instanceof Map || this instanceof Set ? this.size : 0); }',
      throwOnSideEffect: true,
      silent: true,
    });
    return typeof result.value === 'number' ? result.value : 0;
  }

  #get(ref: number): Remote {
    const found = this.#held.get(ref);
    if (found === undefined) throw new Refused(`There is no #${ref} in this session, or not any more`, 'missing-ref');
    return found;
  }

  #hold(remote: Remote): number | undefined {
    if (remote.objectId === undefined) return undefined;
    const ref = this.#next++;
    this.#held.set(ref, remote);
    for (const [oldest, { objectId }] of this.#held) {
      if (this.#held.size <= maxHeld) break;
      this.#held.delete(oldest);
      this.#protocol.ask('Runtime.releaseObject', { objectId }).catch(() => undefined);
    }
    return ref;
  }
}
