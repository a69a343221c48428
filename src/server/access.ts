// Who may use a tool, a prompt or a resource, and with which client.
import { type ErrorObject, faults } from '../jsonrpc/error.ts';
import type { Call } from './call.ts';
import type { ClientFeature, Principal } from './context.ts';
import type { Trait } from './extension.ts';

export interface Access {
  /** Client features without which it cannot run: checked before the handler is called. */
  readonly needs?: readonly ClientFeature[];
  /** An answer to a question of a round counts once only (2026-07-28); see `asking`. */
  readonly singleUse?: boolean;
  /** Settings for extensions, made by them. */
  readonly with?: readonly Trait[];
  /** All of these must have been granted to the caller. */
  readonly scopes?: readonly string[];
  /** What is not visible to someone is absent from their lists and unknown to their calls. */
  readonly visible?: (principal: Principal | undefined) => boolean;
}

/** `_meta` in a list: its own, and what traits add for clients that declared their extension. */
export function metaOf(
  { meta, with: traits }: Access & { readonly meta?: Readonly<Record<string, unknown>> },
  declared: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  const added = traits?.filter((trait) => trait.meta !== undefined && declared.includes(trait.extension)) ?? [];
  return added.length === 0 ? meta : Object.assign({}, meta, ...added.map((trait) => trait.meta));
}

/** Why this caller may not; undefined when they may. Tools tell the model instead, where the revision has no code for it. */
export function denied(call: Call, access: Access): ErrorObject | undefined {
  const missing = lackingScopes(call, access);
  if (missing !== undefined) return missing;
  const lacking = lackingFeature(call, access);
  if (lacking === undefined) return undefined;
  if (call.era === 'modern') return faults.missingCapability(required(access.needs ?? []));
  return faults.invalidParams(`This needs a client that supports ${lacking}`);
}

export function lackingScopes({ principal }: Pick<Call, 'principal'>, { scopes }: Access): ErrorObject | undefined {
  if (scopes === undefined || principal === undefined) return undefined;
  return scopes.every((scope) => principal.scopes.includes(scope)) ? undefined : faults.forbidden(scopes);
}

export function lackingFeature(call: Call, { needs }: Access): ClientFeature | undefined {
  return needs?.find((feature) => !call.can(feature));
}

/** As a client would have to declare them. */
export function required(features: readonly ClientFeature[]): object {
  const wanted: Record<string, Record<string, object>> = {};
  for (const feature of features) {
    const [capability = feature, part] = feature.split('.');
    wanted[capability] = { ...wanted[capability], ...(part !== undefined && { [part]: {} }) };
  }
  return wanted;
}
