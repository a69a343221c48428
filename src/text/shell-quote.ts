// Words of a command line for whoever pastes it into a shell: nothing in them is obeyed.

export function shellQuote(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
