// Secrets in messages, headers and command lines, replaced before they reach a file.
import { hideMembers } from '../../../text/secret-members.ts';
import { isSecretName } from '../../../text/secret-names.ts';
import { hidePairs } from '../../../text/secret-pairs.ts';
import { hideSecrets } from '../../../text/secrets.ts';

const masked = '***';

/** JSON as it stands, or any other text: what is no secret keeps its bytes. */
export function maskText(text: string): string {
  const json = /^\s*[{[]/.test(text);
  return hidePairs(
    hideSecrets(hideMembers(text, masked), () => masked, { json }),
    masked,
    { loose: !json },
  );
}

/** Bytes that are no UTF-8: what can be read in them is treated the same. */
export function maskBytes(bytes: Buffer): Buffer {
  return Buffer.from(maskText(bytes.toString('latin1')), 'latin1');
}

/** Of HTTP: by the names of headers, whatever their values. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? masked : maskText(value)]));
}
