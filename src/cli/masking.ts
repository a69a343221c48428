// Secrets in messages, headers and command lines, replaced before they reach a file.

const masked = '***';
/** Members and headers whose value is a secret whatever it looks like. */
const secretName =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api[-_]?key|apikey|token|access[-_]?token|refresh[-_]?token|id[-_]?token|client[-_]?secret|secret|password|passwd|private[-_]?key|session[-_]?secret|code[-_]?verifier)$/i;
/** What is a secret whatever it is called. */
const secretText =
  /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAKIA[A-Z0-9]{16}\b|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+|(?<=\bBearer )[A-Za-z0-9._~+/=-]{8,}|(?<=\/\/[^/\s:@]{1,100}:)[^@\s/]{1,200}(?=@)/g;

/** A copy of any JSON value. `known` are secrets the caller knows of. */
export function createMasker(known: readonly string[] = []): <T>(value: T) => T {
  const secrets = known.filter((secret) => secret.length >= 4);
  const text = (value: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, masked), value).replace(secretText, masked);
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null || depth > 200) return value;
    if (Array.isArray(value)) return value.map((one) => walk(one, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, secretName.test(key) && typeof one === 'string' ? masked : walk(one, depth + 1)]),
    );
  };
  return <T>(value: T): T => walk(value, 0) as T;
}
