// Drives a stdio server with newline-delimited JSON: one checked question at a time, or a closed loop that only counts answers.
import { quantile } from '../measure/rounds.mjs';
import { spawnTracked } from './children.mjs';

const newline = 10;
const patienceMs = 60_000;

export class StdioServer {
  #child;
  #exited;
  #exit;
  #fail;
  #onLine;
  #onCount;
  #parts = [];
  #bytes = 0;

  constructor(target, extra = [], env = {}) {
    this.target = target;
    this.startedAt = performance.now();
    const { child, exited } = spawnTracked(target, extra, env, 'pipe');
    this.#child = child;
    this.#exited = exited;
    this.pid = child.pid;
    child.stdin.on('error', () => {});
    child.stdout.on('data', (chunk) => this.#feed(chunk));
    void exited.then((error) => {
      this.#exit = error;
      this.#fail?.(error);
    });
  }

  write(text) {
    this.#child.stdin.write(text);
  }

  /** One request and its whole answer; notifications in between are skipped. */
  ask(message) {
    return this.#watched(patienceMs, (resolve) => {
      this.#onCount = undefined;
      this.#onLine = (line) => {
        if (!line.startsWith('{')) return;
        const answer = JSON.parse(line);
        if (answer.id !== message.id || !(answer.result || answer.error)) return;
        this.#onLine = undefined;
        resolve(answer);
      };
      this.write(`${JSON.stringify(message)}\n`);
    });
  }

  /** Keeps `inflight` requests under way for `ms`, or until `maxRequests` were sent. make(id) gives one line. */
  loop({ make, inflight, ms = Number.POSITIVE_INFINITY, maxRequests = Number.POSITIVE_INFINITY }) {
    return this.#watched(Number.isFinite(ms) ? ms + patienceMs : patienceMs * 3, (resolve) => {
      const waits = [];
      const bytesBefore = this.#bytes;
      const start = performance.now();
      let nextId = 1_000_000;
      let sent = 0;
      let received = 0;
      let lastSent = start;
      const push = (count) => {
        let lines = '';
        for (let i = 0; i < count && sent < maxRequests; i++, sent++) lines += `${make(nextId++)}\n`;
        lastSent = performance.now();
        this.write(lines);
      };
      this.#onCount = (count) => {
        const now = performance.now();
        received += count;
        if (inflight === 1) waits.push(now - lastSent);
        if (now - start < ms && sent < maxRequests) return push(count);
        if (received < sent) return;
        this.#onCount = undefined;
        const seconds = (now - start) / 1000;
        waits.sort((a, b) => a - b);
        resolve({
          count: received,
          seconds,
          rps: received / seconds,
          p50: quantile(waits, 0.5),
          p99: quantile(waits, 0.99),
          bytes: this.#bytes - bytesBefore,
        });
      };
      push(inflight);
    });
  }

  async stop() {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 1000);
    await this.#exited;
    clearTimeout(timer);
  }

  #feed(chunk) {
    this.#bytes += chunk.length;
    if (this.#onCount) {
      let count = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) count++;
      if (count > 0) this.#onCount(count);
      return;
    }
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      this.#parts.push(chunk.subarray(from, at));
      const line = Buffer.concat(this.#parts).toString();
      this.#parts = [];
      from = at + 1;
      this.#onLine?.(line);
    }
    if (from < chunk.length) this.#parts.push(chunk.subarray(from));
  }

  /** A promise that also fails when the server exits or says nothing for too long. */
  #watched(ms, begin) {
    let timer;
    const answer = new Promise((resolve, reject) => {
      if (this.#exit) return reject(this.#exit);
      timer = setTimeout(() => reject(new Error(`${this.target.name}: no answer within ${ms / 1000} s`)), ms);
      this.#fail = reject;
      begin(resolve);
    });
    return answer.finally(() => clearTimeout(timer));
  }
}
