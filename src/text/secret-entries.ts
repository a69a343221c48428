// Secrets in the entry of a server: by the name they stand under, as the value of a flag, or by their shape.
import { isSecretVariable } from './secret-names.ts';
import { hidePairs } from './secret-pairs.ts';
import { hideSecrets } from './secrets.ts';

const hidden = '***';
const deepest = 60;
/** `${NAME}`, `${env:NAME}`, `${input:NAME}`, `{env:NAME}`: a name instead of a value. */
const reference = /^(?:(?:Bearer|Basic|Token) +)?(?:\$\{(?:env:|input:)?\w+(?::-)?\}|\{env:\w+\})$/i;

/** The same with every secret replaced. */
export function withoutSecrets(value: unknown): unknown {
  return mapped(value, () => hidden, '', 0);
}

/** Those that a name or a flag tells of: their shape need not. */
export function namedSecrets(value: unknown): Set<string> {
  const found = new Set<string>();
  const note = (secret: string): string => {
    found.add(secret);
    return hidden;
  };
  mapped(value, note, '', 0);
  return found;
}

/** Which arguments hold one: the value of `--api-key`, `--token=…`, `NAME=…`, and whatever has the shape of one. */
export function isSecretArgument(args: readonly unknown[], at: number): boolean {
  const [before, one] = [args[at - 1], args[at]];
  if (typeof one !== 'string' || reference.test(one)) return false;
  return isBehindFlag(before, one) || shapeless(one) !== one;
}

function isBehindFlag(before: unknown, one: string): boolean {
  const [, flag] = typeof before === 'string' ? (/^--?([A-Za-z][\w.-]*)$/.exec(before) ?? []) : [];
  return flag !== undefined && isSecretVariable(flag) && !one.startsWith('-') && !isPath(one);
}

/** `--tls-key server.pem`: the file is no secret. */
function isPath(text: string): boolean {
  return /^(?:\.{0,2}|~)[\\/]/.test(text) || /^[\w.-]+\.(?:pem|key|crt|cer|json|txt|env|p12|pub)$/i.test(text);
}

function shapeless(text: string): string {
  return hidePairs(
    hideSecrets(text, () => hidden),
    hidden,
  );
}

function mapped(value: unknown, hide: (secret: string) => string, name: string, depth: number): unknown {
  if (typeof value === 'string') {
    if (reference.test(value) || value === '') return value;
    return isSecretVariable(name) ? hide(value) : shapeless(value);
  }
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (Array.isArray(value)) {
    return value.map((one, at) =>
      typeof one === 'string' && isBehindFlag(value[at - 1], one) ? hide(one) : mapped(one, hide, name, depth + 1),
    );
  }
  const entries = Object.entries(value).map(([key, one]) => [key, mapped(one, hide, key, depth + 1)] as const);
  return Object.fromEntries(entries);
}
