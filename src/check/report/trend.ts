// What has changed since the runs that were kept, in words that every report uses.

import type { Paint } from './quality-lines.ts';
import type { Change, Trend } from './report.ts';

const words: Readonly<Record<Change['was'], string>> = { failed: 'broken', warned: 'not met', open: 'not verified', fine: 'fine' };
const shown = 10;

export function changeInWords({ was, is }: Change): string {
  return `${words[was]} → ${words[is]}`;
}

/** The last scores, a bar and a number each; the bars stand between the lowest and the highest of them. */
export function scoresInWords({ points }: Trend): string {
  const scores = points.map(({ score }) => score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const bar = (score: number): string => '▁▂▃▄▅▆▇█'[high === low ? 7 : Math.round((7 * (score - low)) / (high - low))] ?? '';
  const last = points.slice(-8);
  const row = (numbers: readonly (number | string)[]): string => numbers.join(' → ');
  return `score ${row(last.map(({ score }) => score.toFixed(1)))}  ${scores.map(bar).join('')}  MUST broken ${row(last.map(({ failed }) => failed))}`;
}

export function trendLines(trends: readonly Trend[], paint: Paint, verbose: boolean): string[] {
  return trends.flatMap((trend) => {
    const { revision, transport, since, better, worse } = trend;
    const head = `TREND  ${revision} on ${transport}`;
    if (since === undefined) return ['', paint('dim', `${head}, the first run that is kept`)];
    const list = (title: string, style: 'red' | 'green', changes: readonly Change[]): string[] => {
      if (changes.length === 0) return [];
      const some = verbose ? changes : changes.slice(0, shown);
      const rest = changes.length - some.length;
      return [
        paint(style, `  ${title}  ${changes.length}`),
        ...some.map((change) => `      ${change.id}  ${changeInWords(change)}`),
        ...(rest > 0 ? [paint('dim', `      and ${rest} more (--verbose)`)] : []),
      ];
    };
    return [
      '',
      paint('bold', `${head} since ${since}${better.length + worse.length === 0 ? ': as it was' : ''}`),
      ...list('worse', 'red', worse),
      ...list('better', 'green', better),
      paint('dim', `  ${scoresInWords(trend)}`),
    ];
  });
}
