// The signals that ask a process to end: everything that is served closes first.

const signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const closers = new Set<() => Promise<void>>();
let ending = false;

/** Gives a way to be left out again. */
export function onSignals(close: () => Promise<void>): () => void {
  if (closers.size === 0) for (const signal of signals) process.on(signal, onSignal);
  closers.add(close);
  return () => {
    if (!closers.delete(close) || closers.size > 0 || ending) return;
    for (const signal of signals) process.off(signal, onSignal);
  };
}

function onSignal(): void {
  // Whoever asks twice does not want to wait.
  if (ending) process.exit(1);
  ending = true;
  void Promise.allSettled([...closers].map((close) => close())).then(() => process.exit(0));
}
