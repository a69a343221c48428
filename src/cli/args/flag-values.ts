// What stands behind a flag, read or refused.
import { CommandError, exitCodes } from './command.ts';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** With a unit: a bare number means something else to everybody. */
export function milliseconds(flag: string, given: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(given) ?? [];
  const ms = Number(number) * (units[unit] ?? 0);
  if (ms > 0) return ms;
  throw new CommandError(exitCodes.usage, `--${flag} takes a time such as 500ms, 20s, 10m or 2h, not ${given}`);
}

export function count(flag: string, given: string): number {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new CommandError(exitCodes.usage, `--${flag} takes a whole number above 0, not ${given}`);
}

export function portNumber(flag: string, given: string): number {
  const port = count(flag, given);
  if (port < 65_536) return port;
  throw new CommandError(exitCodes.usage, `--${flag} takes a port, which is below 65536, not ${given}`);
}

export function list(given: string | undefined): string[] {
  return (given ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
