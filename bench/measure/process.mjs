// What the kernel says about another process: CPU time and resident memory (Linux, /proc).
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const hasSchedstat = existsSync('/proc/self/task') && existsSync('/proc/self/schedstat');

/** User and system CPU time of all threads (garbage collector included), in milliseconds. */
export const cpuMs = hasSchedstat ? cpuFromSchedstat : cpuFromStat;

export const cpuResolution = hasSchedstat ? 'nanoseconds (schedstat)' : '10 ms ticks (stat)';

/**
 * CPU time at this very moment of a process that may be busy. The kernel books the time of a running thread only at
 * its next tick or switch, so the process is stopped for the reading.
 */
export function cpuMsFrozen(pid) {
  process.kill(pid, 'SIGSTOP');
  try {
    for (let i = 0; i < 1000 && statFields(pid)[0] !== 'T'; i++);
    return cpuMs(pid);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

export const rssMb = (pid) => statusKb(pid, 'VmRSS') / 1024;

export const peakRssMb = (pid) => statusKb(pid, 'VmHWM') / 1024;

function cpuFromSchedstat(pid) {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread ended between the listing and the reading.
    }
  }
  return nanoseconds / 1e6;
}

function cpuFromStat(pid) {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The fields after the command name, which may itself contain spaces and parentheses. */
function statFields(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function statusKb(pid, name) {
  const match = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return match ? Number(match[1]) : Number.NaN;
}
