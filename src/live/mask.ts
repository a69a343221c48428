// Secrets that are recognised by their shape, or because the host was started with them, do not go to a model.

const shapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{40,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
];
const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;
const shortest = 8;

/** `env`: the host's own, whose secrets the images are not given either. */
export function createMask(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const known = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= shortest && secretName.test(name) ? [[name, value] as const] : [],
  );
  return (text) => {
    let masked = text;
    for (const [name, value] of known) if (masked.includes(value)) masked = masked.replaceAll(value, `[secret ${name}]`);
    for (const shape of shapes) masked = masked.replace(shape, (found) => `${found.slice(0, 4)}[secret]`);
    return masked;
  };
}
