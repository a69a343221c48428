#!/usr/bin/env node
// No Pharo: a program that is started as a Pharo VM would be and speaks the wire of its bridge, so that the launch line and the
// adapter can be tried where no Pharo is to be had. It evaluates sums, and knows a few words that misbehave.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';

const args = process.argv.slice(2);
if (args[0] === '--version') {
  console.log('no Pharo');
  process.exit(0);
}
const [headless, image, preferences, handler, stays, sourceless, ...files] = args;
const own = process.env['FAKE_OWN_IMAGE'];
const asked =
  own === undefined ? { port: process.env['VIVARIUM_PORT'], token: process.env['VIVARIUM_TOKEN'] } : JSON.parse(readFileSync(own, 'utf8'));
if (own === undefined) {
  const line = [headless, preferences, handler, stays, sourceless].join(' ');
  if (line !== '--headless --no-default-preferences st --no-quit --no-source')
    throw new Error(`Not as Pharo is started: ${args.join(' ')}`);
  for (const file of [image, ...files]) if (!existsSync(file)) throw new Error(`There is no ${file}`);
}

let secret;
let cell;
let stuck = false;
let held;
const variables = new Map(image !== undefined && existsSync(image) ? JSON.parse(readFileSync(image, 'utf8')) : []);
const socket = connect(Number(asked.port), '127.0.0.1', () =>
  socket.write(`${JSON.stringify({ token: process.env['FAKE_TOKEN'] ?? asked.token })}\n`),
);
socket.setEncoding('utf8').on('close', () => process.exit(0));
const send = (frame) => socket.write(`${JSON.stringify({ secret, ...frame })}\n`);
const done = (id, told = {}) => send({ id, ev: 'done', ...told });
const view = (value) => ({ text: String(value), type: 'SmallInteger', ref: 1 });

let rest = '';
socket.on('data', (text) => {
  rest += text;
  for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
    const frame = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (secret === undefined) {
      secret = frame.secret;
      send({ ev: 'ready', version: 'Pharo0.0 (a fake)' });
    } else answer(frame);
  }
});

function answer(request) {
  const { id, op } = request;
  // It hears nothing any more.
  if (stuck) return;
  const ops = {
    ping: () => done(id),
    abandon: () => done(id),
    probe: () => cell === undefined && done(id),
    evaluate: () => evaluate(request),
    interrupt: () => {
      if (cell !== undefined) over({ interrupted: true });
      done(id);
    },
    debug: () => {
      done(id);
      if (request.restart === 1) over({ value: view(request.value) });
    },
    save: () => {
      writeFileSync(request.file, JSON.stringify([...variables]));
      done(id);
    },
    inspect: () => done(id, { view: { ...view(variables.get(request.target)), members: [], offset: 0, total: 0 } }),
    lookup: () => done(id, { kind: 'class', text: `Object subclass: #${request.name}` }),
  };
  (ops[op] ?? (() => done(id, { refused: `This image does not know ${op}` })))();
}

function evaluate({ id, code, names, onError }) {
  cell = id;
  stuck = code === 'stuck';
  if (code === 'forever' || stuck) return;
  if (code === 'die') process.exit(3);
  if (code === 'forge') return void socket.write(`${JSON.stringify({ id, ev: 'done', value: view(666) })}\n`);
  if (code === 'show') send({ ev: 'out', cell: id, text: 'shown\n' });
  if (code.startsWith('VivariumBridge tests:'))
    return over({ value: { ...view(1), tests: { passed: 2, failed: 0, skipped: 0, failures: [] } } });
  if (code.includes('fail')) {
    const fault = {
      type: 'ZeroDivide',
      message: 'by zero',
      kind: 'error',
      frames: [{ name: 'SmallInteger>>/', file: '', line: 0, column: 0, own: true }],
    };
    if (onError !== 'pause') return over({ fault: { ...fault, details: 'receiver: 1' } });
    held = true;
    const restarts = [
      { name: 'retry', report: 'again' },
      { name: 'return', report: 'a value', takesValue: true },
    ];
    return send({ ev: 'paused', reason: 'ZeroDivide: by zero', frames: fault.frames, restarts });
  }
  const [, name, expression] = /^(?:([a-z]\w*) := )?(.*)$/.exec(code.trim());
  const value = expression.split('+').reduce((sum, part) => sum + Number(variables.get(part.trim()) ?? part), 0);
  if (name !== undefined) {
    if (!names.includes(name)) return over({ fault: { type: 'Error', message: 'undeclared', kind: 'error', frames: [] } });
    variables.set(name, value);
  }
  over({ value: view(value) });
}

function over(told) {
  const id = cell;
  cell = undefined;
  held = undefined;
  done(id, told);
}
void held;
