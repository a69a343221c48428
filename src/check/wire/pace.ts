// The turns of all connections of one run: so many requests a minute at most, and none while the server asks for quiet.

export interface Pace {
  /** Takes the next turn: in how many milliseconds it comes. */
  turn(): number;
  /** Nobody's turn comes for so many milliseconds. */
  holdOff(ms: number): void;
}

export function createPace(perMinute?: number): Pace {
  const gap = perMinute === undefined ? 0 : 60_000 / perMinute;
  let next = 0;
  return {
    turn() {
      const now = performance.now();
      const at = Math.max(now, next);
      if (gap > 0) next = at + gap;
      return at - now;
    },
    holdOff(ms) {
      next = Math.max(next, performance.now() + ms);
    },
  };
}

/** The longest wait for a Retry-After. */
const longest = 30_000;

/** Milliseconds that a server asks to be left alone after so many refusals; undefined where that is too long, or was too often. */
export function quietOf(headers: Readonly<Record<string, string>>, refusals: number): number | undefined {
  if (refusals > 3) return undefined;
  const given = headers['retry-after'];
  if (given === undefined) return 500 * 2 ** refusals;
  const ms = /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - Date.now();
  return Number.isNaN(ms) ? 500 * 2 ** refusals : ms > longest ? undefined : Math.max(ms, 0);
}
