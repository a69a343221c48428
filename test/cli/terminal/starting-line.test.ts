// The line that says a program is being started: on a terminal, and only while it takes long.
import { expect, it, onTestFinished, vi } from 'vitest';
import { whileStarting } from '../../../src/cli/terminal/starting-line.ts';

async function shown(isTTY: boolean, isProgram: boolean, ms: number, outcome: () => Promise<string>): Promise<string> {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let text = '';
  const write = (more: unknown): boolean => {
    text += String(more);
    return true;
  };
  const terminal = { isTTY, write };
  const work = new Promise<void>((resolve) => setTimeout(resolve, ms)).then(outcome);
  const told = whileStarting(isProgram, work, terminal).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(ms);
  expect(await told).toBe(await outcome().catch((error: Error) => error.message));
  return text;
}

const starts = async () => 'started';
const fails = () => Promise.reject<string>(new Error('failed'));

it.each([starts, fails])('stands on a terminal while a program takes long, and is taken away', async (outcome) => {
  expect(await shown(true, true, 8_000, outcome)).toBe('starting...\r\x1b[K');
});

it('is not shown for what starts soon, where there is no terminal, or where nothing is started', async () => {
  expect(await shown(true, true, 1_000, starts)).toBe('');
  expect(await shown(false, true, 8_000, starts)).toBe('');
  expect(await shown(true, false, 8_000, starts)).toBe('');
});
