// Closed-loop HTTP load: a set of keep-alive connections (one session each where the kind has sessions), one request in flight on each.
import { quantile } from '../measure/rounds.mjs';
import { HttpConnection } from './http.mjs';
import { headersFor, httpText, initializedMessage, initializeMessage, template } from './messages.mjs';

const patienceMs = 5000;

/** Opens `count` connections that will all send `message`; every request differs only in its id. */
export async function openConnections(port, kind, count, message, options) {
  const makeBody = template(message);
  const heads = [];
  const connections = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const connection = await openConnection(port, options);
      const sessionId = kind === 'http-stateful' ? await openSession(connection) : undefined;
      // Ids have seven digits, so the length in the head holds for every request.
      const sample = httpText(headersFor(kind, message, sessionId), makeBody(1_000_000));
      heads[index] = sample.slice(0, sample.indexOf('\r\n\r\n') + 4);
      return connection;
    }),
  );
  return {
    connections,
    make: (index, id) => heads[index] + makeBody(id),
    /** Replaces the connections that a server dropped while other targets were measured. */
    async refresh() {
      for (const [index, connection] of connections.entries()) {
        if (connection.dead) connections[index] = await openConnection(port, options);
      }
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

async function openConnection(port, options) {
  const connection = new HttpConnection(port, options);
  await connection.ready();
  return connection;
}

export async function openSession(connection) {
  const { status, head } = await connection.request(httpText({}, JSON.stringify(initializeMessage())));
  const sessionId = /\nmcp-session-id: *([^\r\n]+)/i.exec(head)?.[1];
  if (!sessionId) throw new Error(`no session: ${status} ${head.slice(0, 300)}`);
  await connection.request(httpText(headersFor('http-stateful', initializedMessage, sessionId), JSON.stringify(initializedMessage)));
  return sessionId;
}

/** Every connection keeps one request in flight for `ms`, or until `maxRequests` were sent. */
export async function httpLoop({ connections, make, ms = Number.POSITIVE_INFINITY, maxRequests = Number.POSITIVE_INFINITY }) {
  const waits = [];
  let bytes = 0;
  let errors = 0;
  let firstError = '';
  let sent = 0;
  const start = performance.now();

  const keepSending = (connection, index) =>
    new Promise((done) => {
      const next = () => {
        const sentAt = performance.now();
        if (sentAt - start >= ms || sent >= maxRequests) return done();
        connection.send(make(index, 1_000_000 + sent++), (status, head, _body, size) => {
          if (status === 200) waits.push(performance.now() - sentAt);
          else {
            errors++;
            firstError ||= `${status} ${head.slice(0, 200)}`;
          }
          bytes += size;
          if (status === -1) done();
          else next();
        });
      };
      next();
    });

  let timer;
  const stuck = new Promise((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, 60_000) + patienceMs);
  });
  await Promise.race([stuck, Promise.all(connections.map(keepSending))]);
  clearTimeout(timer);
  const unanswered = connections.filter((connection) => connection.busy);
  for (const connection of unanswered) connection.forget();
  if (unanswered.length > 0) firstError ||= `${unanswered.length} requests unanswered after ${patienceMs / 1000} s`;
  errors += unanswered.length;

  const seconds = (performance.now() - start) / 1000;
  waits.sort((a, b) => a - b);
  const count = waits.length;
  return { count, seconds, rps: count / seconds, p50: quantile(waits, 0.5), p99: quantile(waits, 0.99), bytes, errors, firstError };
}
