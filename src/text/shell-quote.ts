// Words of a command line for whoever pastes it into a shell: nothing in them is obeyed, by the shell or by the terminal.
import { isPlain } from './printable.ts';

const variableName = /^[A-Za-z_]\w*$/;
/** What means the same inside double quotes. */
const literal = /^[\w :.,/-]*$/;

export function shellQuote(word: string): string {
  if (/^[\w@+:,./…-][\w@%+=:,./…-]*$/.test(word)) return word;
  return isPlain(word) ? singleQuoted(word) : `"$(printf '${octal(word)}')"`;
}

/** Also where it needs no quotes. */
export function singleQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A program with its arguments: the first word is never taken for an assignment. */
export function shellCommand([program = '', ...args]: readonly string[]): string {
  return [program.includes('=') && isPlain(program) ? singleQuoted(program) : shellQuote(program), ...args.map(shellQuote)].join(' ');
}

/** What the reader has in a variable. `name` is any text: what a variable cannot be called is left out of it. */
export function shellVariable(name: string): string {
  return `$${name.replace(/\W/g, '_').replace(/^(?=\d|$)/, '_')}`;
}

/** A word that ends with what the reader has in a variable. */
export function shellWithVariable(text: string, name: string): string {
  const variable = shellVariable(name);
  return literal.test(text) ? `"${text}${variable}"` : `${shellQuote(text)}"${variable}"`;
}

/** Before a command: variables by their names, for which the reader has the values. No shell takes others than these in an assignment. */
export function shellEnvironment(names: readonly string[]): string {
  const odd = names.filter((name) => !variableName.test(name));
  const plain = names.filter((name) => variableName.test(name)).map((name) => `${name}="$${name}"`);
  return [...plain, ...(odd.length > 0 ? ['env', ...odd.map((name) => shellQuote(`${name}=…`))] : [])].map((one) => `${one} `).join('');
}

/** For printf, whose output a shell takes as it is. */
function octal(word: string): string {
  const shown = (byte: number): string => {
    const character = String.fromCharCode(byte);
    if (character === '%') return '%%';
    return /[\w @+:,./=]/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
  };
  return Array.from(new TextEncoder().encode(word), shown).join('');
}
