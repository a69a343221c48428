// How what runs is stopped, with as little lost as can be.
import type { StopReason } from '../image/engine.ts';
import type { Image } from '../image/image.ts';
import type { Run } from './run.ts';

const probeMs = 60;
const againMs = 400;

/** First the language's own way; then a look whether it is alive; then its end. */
export async function interrupt(image: Image, run: Run, why: StopReason, graceMs: number): Promise<void> {
  run.stopping = why;
  // It waits for something: nothing runs that could be stopped, so it is left alone.
  if (run.pause === undefined && (await image.answers('probe', probeMs))) {
    if (run.over) return;
    image.request('abandon', {}).catch(() => undefined);
    return run.end({ status: 'stopped', why, goesOn: true });
  }
  if (run.over) return;
  const until = performance.now() + graceMs;
  // Once is not always enough: what is ended may have begun something else, which begins when it ends.
  while (!run.over) {
    const asked = image.request('interrupt', {}).catch(() => undefined);
    const answered = await Promise.race([asked, run.settled(graceMs)]);
    const refused = answered?.['refused'];
    if (refused !== undefined) return run.end({ status: 'stopped', why, goesOn: true, note: String(refused) });
    // The cell tells of its own end, unless it had awaited something: then only the image answers again.
    if (!run.over) await run.settled(20);
    if (run.over || (await image.answers('probe', againMs))) break;
    if (performance.now() < until) continue;
    // It may only wait for a process it started.
    if (image.endChildren() && (await image.answers('probe', graceMs))) break;
    image.kill('it could not be interrupted');
    // Its end is told by what ends it.
    if (image.ours) await image.closed;
    break;
  }
  run.end({ status: 'stopped', why, goesOn: false });
}
