// Several lines as one, in time that grows with their length.

/** Blank lines and what stands around a line break are left out. */
export function inOneLine(text: string, between = ' '): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(between);
}
