// Secrets in messages, headers and command lines, replaced before they reach a file.

const masked = '***';
/** Members and headers whose value is a secret whatever it looks like. */
const secretName =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api[-_]?key|apikey|token|access[-_]?token|refresh[-_]?token|id[-_]?token|client[-_]?secret|secret|password|passwd|private[-_]?key|session[-_]?secret|code[-_]?verifier)$/i;
/** What is a secret whatever it is called. */
const secretText =
  /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAKIA[A-Z0-9]{16}\b|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+|(?<=\bBearer )[A-Za-z0-9._~+/=-]{8,}|(?<=\/\/[^/\s:@]{1,100}:)[^@\s/]{1,200}(?=@)/g;

const secretMember = /("(?:[^"\\]|\\.)*")(\s*:\s*)"((?:[^"\\]|\\.)*)"/g;

/** JSON as it stands, or any other text: what is no secret keeps its bytes. */
export function maskText(text: string): string {
  const members = text.replace(secretMember, (whole, key: string, colon: string) =>
    secretName.test(key.slice(1, -1)) ? `${key}${colon}"${masked}"` : whole,
  );
  return members.replace(secretText, masked);
}

/** Of HTTP: by the names of headers, whatever their values. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secretName.test(name) ? masked : maskText(value)]));
}
