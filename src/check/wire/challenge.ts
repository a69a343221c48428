// The header by which a server says what it wants of a token.

/** One parameter of a challenge. */
export function parameterOf(challenge: string, name: string): string | undefined {
  const [, quoted, bare] = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(challenge) ?? [];
  return quoted ?? bare;
}
