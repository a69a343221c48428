// Real spans in memory, measurements in a list, and a server that has one of everything.
import {
  type Attributes,
  context as contexts,
  createNoopMeter,
  type Histogram,
  type Meter,
  propagation,
  type Tracer,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll } from 'vitest';
import { jsonSchema, RpcError, type Server } from 'vivarium/server';
import { createWire, type Wire } from 'vivarium/testing';
import { type InstrumentOptions, instrument } from '../../src/otel/index.ts';
import { createServer, handshake, modern } from '../server/fixture.ts';

export const traceId: string = '4bf92f3577b34da6a3ce929d0e0e4736';
export const spanId: string = '00f067aa0ba902b7';
export const traceparent: string = `00-${traceId}-${spanId}-01`;

/** What an application registers once: a way to keep contexts, and the W3C formats. */
export function useGlobals(): void {
  beforeAll(() => {
    contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(
      new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
    );
  });
  afterAll(() => {
    contexts.disable();
    propagation.disable();
  });
}

export interface Measured {
  readonly name: string;
  readonly unit: string | undefined;
  readonly value: number;
  readonly attributes: Attributes | undefined;
}

export interface Watched {
  readonly server: Server;
  readonly tracer: Tracer;
  readonly measured: Measured[];
  /** Ended spans, in the order in which they ended. */
  spans(): ReadableSpan[];
  /** The only span that has ended since the last look. */
  span(): ReadableSpan;
}

/** `before` adds what is to be outside the span. */
export function createWatched(options: InstrumentOptions = {}, before?: (server: Server) => void): Watched {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer('test');
  const measured: Measured[] = [];
  const { server } = createServer();
  before?.(server);
  instrument(server, { tracer, meter: createMeter(measured), ...options });
  register(server);
  const spans = (): ReadableSpan[] => {
    const ended = exporter.getFinishedSpans();
    exporter.reset();
    return ended;
  };
  const span = (): ReadableSpan => {
    const [one, ...more] = spans();
    if (one === undefined || more.length > 0) throw new Error(`Expected one span, got ${more.length + (one === undefined ? 0 : 1)}`);
    return one;
  };
  return { server, tracer, measured, spans, span };
}

export function createMeter(measured: Measured[]): Meter {
  const meter = createNoopMeter();
  meter.createHistogram = (name, options) =>
    ({
      record: (value, attributes) => void measured.push({ name, unit: options?.unit, value, attributes }),
    }) satisfies Histogram;
  return meter;
}

function register(server: Server): void {
  server.tool(
    'add',
    { input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } as const },
    ({ a = 0, b = 0 }) => String(a + b),
  );
  server.tool('fails', {}, () => {
    throw new Error('the safe is open');
  });
  server.tool('refuses', {}, () => {
    throw new RpcError(-32_050, 'no hunter2 here', { data: { secret: 'hunter2' } });
  });
  server.prompt('greet', {}, () => 'Hello');
  const place = jsonSchema<{ place?: string }>({ type: 'object', properties: { place: { type: 'string' } } });
  server.prompt('visit', { input: place, complete: { place: () => ['Paris'] } }, ({ place: where }) => `Visit ${where}`);
  server.prompt('breaks', {}, () => {
    throw new TypeError('broken by hunter2\n    at hunter2 (hunter2.ts:1:1)');
  });
  server.prompt('asks', {}, async (_args, ctx) => {
    await ctx.roots();
    return 'never';
  });
  server.resource('note:///a', {}, () => 'a');
  server.resource('db://{+rest}', {}, () => 'rows');
}

/** One way to speak: a wire, and what every request of it carries in `_meta`. */
export interface Spoken {
  readonly revision: string;
  open(server: Server): Promise<Wire>;
  params(params?: object, meta?: object): object;
}

export const legacySpoken: Spoken = {
  revision: '2025-11-25',
  async open(server) {
    const wire = createWire(server);
    await wire.request('initialize', handshake('2025-11-25'));
    wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return wire;
  },
  params: (params = {}, meta) => ({ ...params, ...(meta !== undefined && { _meta: meta }) }),
};

export const modernSpoken: Spoken = {
  revision: '2026-07-28',
  open: async (server) => createWire(server),
  params: (params = {}, meta = {}) => ({ ...params, _meta: { ...modern(), ...meta } }),
};

export const bothEras: readonly Spoken[] = [legacySpoken, modernSpoken];
