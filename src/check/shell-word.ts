// A word of a command line, for whoever pastes it into a shell.

export function quote(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
