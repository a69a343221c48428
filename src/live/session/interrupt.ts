// Stops an evaluation with as little loss as possible.
import type { StopReason } from '../image/engine.ts';
import type { Image } from '../image/image.ts';
import type { Run } from './run.ts';

const probeMs = 60;
const againMs = 400;

/** First the interrupt of the language, then a probe, then SIGKILL. */
export async function interrupt(image: Image, run: Run, why: StopReason, graceMs: number): Promise<void> {
  run.stopping = why;
  // It awaits something: no code runs that could be interrupted.
  if (run.pause === undefined && (await image.answers('probe', probeMs))) {
    // Its end may have come with the answer, and is not noted yet.
    await new Promise((resolve) => setImmediate(resolve));
    if (run.over) return;
    image.request('abandon', {}).catch(() => undefined);
    return run.end({ status: 'stopped', why, goesOn: true });
  }
  if (run.over) return;
  const until = performance.now() + graceMs;
  // Repeat: code queued by the interrupted code may run next.
  while (!run.over) {
    const asked = image.request('interrupt', {}).catch(() => undefined);
    const answered = await Promise.race([asked, run.settled(graceMs)]);
    const refused = answered?.['refused'];
    if (refused !== undefined) return run.end({ status: 'stopped', why, goesOn: true, note: String(refused) });
    // The cell reports its own end, unless it had awaited something; then only the probe is answered.
    if (!run.over) await run.settled(20);
    if (run.over || (await image.answers('probe', againMs))) break;
    if (performance.now() < until) continue;
    // It may be waiting for a child process.
    if (image.endChildren() && (await image.answers('probe', graceMs))) break;
    image.kill('it could not be interrupted');
    // The end of the image is reported by the image.
    if (image.ours) await image.closed;
    break;
  }
  run.end({ status: 'stopped', why, goesOn: false });
}
