// A program that takes long to start, such as one that npx downloads first: whoever sits at the terminal is told.
const afterMs = 2_000;

type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

/** The line stands while `work` lasts. */
export async function whileStarting<T>(isProgram: boolean, work: Promise<T>, stderr: Terminal = process.stderr): Promise<T> {
  if (!isProgram || stderr.isTTY !== true) return work;
  let shown = false;
  const timer = setTimeout(() => {
    shown = true;
    stderr.write('starting...');
  }, afterMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (shown) stderr.write('\r\x1b[K');
  }
}
