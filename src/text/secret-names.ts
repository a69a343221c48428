// Names whose values are secrets: of members, headers, flags, query parameters and variables. The one list for every room.

/** Longer names are judged by their end. */
export const maxName = 128;
const endings: readonly string[] = [
  'authorization',
  'codeverifier',
  'connectionstring',
  'cookie',
  'credential',
  'credentials',
  'passphrase',
  'passwd',
  'password',
  'secret',
  ...['access', 'account', 'api', 'encryption', 'master', 'private', 'secret', 'signing'].map((kind) => `${kind}key`),
];
/** Tokens of pages and of progress open nothing, nor are counted ones secret. */
const harmlessTokens: ReadonlySet<string> = new Set(['progress', 'page', 'next', 'nextpage', 'continuation', 'stop', 'max', 'min', 'num']);
/** Secrets where they open something, in a query or a form, and ordinary words elsewhere. */
const queryNames: ReadonlySet<string> = new Set(['key', 'sig', 'signature', 'xamzsignature', 'xgoogsignature']);

/** `OPENAI_API_KEY`, `x-auth-token`, `clientSecret`. */
export function isSecretName(name: string): boolean {
  const plain = plainName(name);
  if (plain.endsWith('token')) return !isHarmlessToken(name);
  return endings.some((one) => plain.endsWith(one));
}

/** Of an environment variable, where every key opens something. */
export function isSecretVariable(name: string): boolean {
  // Of several that differ by where they are used, each opens something.
  const plain = name.slice(-maxName).replace(/[-_.](?:prod|production|staging|stage|dev|test|live|old|new|\d{1,4})$/i, '');
  if (/tokens$/i.test(plain)) return !isHarmlessToken(plain.slice(0, -1));
  // PWD and OLDPWD are folders.
  return isSecretName(plain) || /(?:key|pass|creds?|secrets|passwords|[-_]pwd|(?:^|[-_])(?:pat|dsn|auth))$/i.test(plain);
}

/** Of a parameter of a query: `?key=`, and the signature of an address that was signed in advance. */
export function isSecretParameter(name: string): boolean {
  return isSecretName(name) || queryNames.has(plainName(name));
}

/** By the word before it, so that `admin_token` is not taken for a `min_token`. */
function isHarmlessToken(name: string): boolean {
  const words = name
    .slice(-maxName)
    .replaceAll(/[a-z\d](?=[A-Z])/g, '$&_')
    .toLowerCase()
    .split(/[-_.]/);
  const last = words.pop() ?? '';
  return harmlessTokens.has(last === 'token' ? (words.pop() ?? '') : last.slice(0, -'token'.length));
}

function plainName(name: string): string {
  return name.slice(-maxName).toLowerCase().replaceAll(/[-_.]/g, '');
}
