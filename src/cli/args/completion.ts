// Scripts that let a shell complete commands and flags, written from the commands themselves.
import { singleQuoted as single } from '../../text/shell-quote.ts';
import { type Command, CommandError, exitCodes, flagsOf } from './command.ts';

/** Flags whose value is a file or a folder. */
const paths = /^(?:file|folder|path|files)$/;

export function completionScript(shell: string | undefined, commands: readonly Command[]): string {
  if (shell === 'bash') return bash(commands);
  if (shell === 'zsh') return zsh(commands);
  if (shell === 'fish') return fish(commands);
  throw new CommandError(exitCodes.usage, `--completion takes bash, zsh or fish${shell === undefined ? '' : `, not ${shell}`}`, {
    hint: 'source <(vivarium --completion bash)',
  });
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => `    ${command.name}) words="${longFlags(command).join(' ')}" ;;`);
  return `_vivarium() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words i IFS=$' \\t\\n'
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ "\${COMP_WORDS[i]}" == "--" ]]; then _vivarium_lines "$(compgen -c -f -- "$current")"; return; fi
  done
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version --completion" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    --completion) COMPREPLY=($(compgen -W "bash zsh fish" -- "$current")); return ;;
    *) words="" ;;
  esac
  if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else _vivarium_lines "$(compgen -f -- "$current")"; fi
}
# A name may have spaces in it.
_vivarium_lines() {
  local line
  while IFS= read -r line; do [[ -n "$line" ]] && COMPREPLY+=("$line"); done <<< "$1"
}
complete -o filenames -F _vivarium vivarium
`;
}

function zsh(commands: readonly Command[]): string {
  const list = commands.map(({ name, summary }) => `    ${single(`${name}:${summary}`)}`);
  const cases = commands.map((command) => {
    const flags = Object.entries(flagsOf(command)).map(([name, { type, value, help, multiple }]) => {
      // A colon would begin the next part, and quotes are read once more.
      const what = (value ?? 'value').replaceAll(/[[\]:"]+/g, ' ').trim();
      const action = type === 'boolean' ? '' : `:${what}:${paths.test(value ?? '') ? '_files' : ' '}`;
      return `      ${single(`${multiple === true ? '*' : ''}--${name}[${help.replaceAll(/[[\]:]/g, ' ')}]${action}`)}`;
    });
    return `    ${command.name}) _arguments \\\n${[...flags, "      '*:file:_files'"].join(' \\\n')} ;;`;
  });
  return `#compdef vivarium
_vivarium() {
  local -a known=(
${list.join('\n')}
  )
  if ((CURRENT == 2)); then _describe command known; return; fi
  # Behind -- stands another command.
  local -i end=\${words[(i)--]}
  if ((end < CURRENT)); then words=("\${(@)words[end + 1,-1]}"); CURRENT=$((CURRENT - end)); _normal; return; fi
  case "$words[2]" in
${cases.join('\n')}
  esac
}
compdef _vivarium vivarium
`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c vivarium -n __fish_use_subcommand -f -a ${command.name} -d ${single(command.summary)}`,
    ...Object.entries(flagsOf(command)).map(([name, { type, short, help, value }]) => {
      const more = `${short === undefined ? '' : ` -s ${short}`}${type === 'boolean' ? '' : paths.test(value ?? '') ? ' -r -F' : ' -x'}`;
      return `complete -c vivarium -n "__fish_seen_subcommand_from ${command.name}" -l ${name}${more} -d ${single(help)}`;
    }),
  ]);
  return `${lines.join('\n')}\n`;
}

function longFlags(command: Command): string[] {
  return Object.keys(flagsOf(command)).map((name) => `--${name}`);
}
