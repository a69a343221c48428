// Where a span belongs: under the sender's, the HTTP request's or the active one, and above what the handler makes.
import { type Context, context, propagation, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { turn } from '../server/fixture.ts';
import { bothEras, createWatched, legacySpoken, spanId, traceId, traceparent, useGlobals, type Watched } from './fixture.ts';

useGlobals();

describe.each(bothEras)('in $revision', ({ open, params }) => {
  it('traceparent in _meta names the parent, with its state and baggage', async () => {
    const watched = createWatched();
    let baggage: string | undefined;
    watched.server.tool('looks', {}, () => {
      baggage = propagation.getActiveBaggage()?.getEntry('tenant')?.value;
      return 'seen';
    });
    const wire = await open(watched.server);
    watched.spans();
    await wire.request('tools/call', params({ name: 'looks' }, { traceparent, tracestate: 'rojo=1', baggage: 'tenant=north' }));
    const span = watched.span();
    expect(span.spanContext().traceId).toBe(traceId);
    expect(span.parentSpanContext).toMatchObject({ spanId, isRemote: true });
    expect(span.spanContext().traceState?.serialize()).toBe('rojo=1');
    expect(baggage).toBe('north');
  });

  it.each([['nonsense'], [7], [null], [`00-${'0'.repeat(32)}-${spanId}-01`]])('%j in its place is passed over', async (bad) => {
    const watched = createWatched();
    const wire = await open(watched.server);
    watched.spans();
    await wire.request('tools/call', params({ name: 'add' }, { traceparent: bad }));
    expect(watched.span().parentSpanContext).toBeUndefined();
  });

  it('spans of the handler are children, also after it has waited', async () => {
    const watched = createWatched();
    const { server, tracer } = watched;
    server.tool('works', {}, async () => {
      tracer.startSpan('first').end();
      await turn();
      tracer.startActiveSpan('second', (span) => {
        tracer.startSpan('third').end();
        span.end();
      });
      return 'done';
    });
    const wire = await open(server);
    watched.spans();
    await wire.request('tools/call', params({ name: 'works' }, { traceparent }));
    const byName = new Map(watched.spans().map((span) => [span.name, span]));
    const idOf = (name: string) => byName.get(name)?.spanContext().spanId;
    const parentOf = (name: string) => byName.get(name)?.parentSpanContext?.spanId;
    expect(parentOf('first')).toBe(idOf('tools/call works'));
    expect(parentOf('second')).toBe(idOf('tools/call works'));
    expect(parentOf('third')).toBe(idOf('second'));
    expect([...byName.values()].map((span) => span.spanContext().traceId)).toEqual(Array.from({ length: 4 }, () => traceId));
  });

  it('requests that run at the same time keep their spans apart', async () => {
    const watched = createWatched();
    const { server, tracer } = watched;
    server.tool('nested', { input: { type: 'object', properties: { n: { type: 'number' } } } as const }, async ({ n }) => {
      await turn();
      tracer.startSpan(`inner ${n}`).end();
      return 'done';
    });
    const wire = await open(server);
    watched.spans();
    const ids = [1, 2, 3].map((n) => String(n).repeat(32));
    await Promise.all(
      ids.map((id, n) =>
        wire.request('tools/call', params({ name: 'nested', arguments: { n } }, { traceparent: `00-${id}-${spanId}-01` })),
      ),
    );
    const inner = watched.spans().filter(({ name }) => name.startsWith('inner'));
    expect(inner.map((span) => [span.name, span.spanContext().traceId]).sort()).toEqual(ids.map((id, n) => [`inner ${n}`, id]));
  });
});

describe('the active context', () => {
  it('is the parent when the request names none', async () => {
    const watched = createWatched();
    const outer = watched.tracer.startSpan('outer');
    await call(watched, {}, trace.setSpan(context.active(), outer));
    const span = watched.span();
    expect(span.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(span.links).toEqual([]);
  });

  it('is linked when the request names another', async () => {
    const watched = createWatched();
    const outer = watched.tracer.startSpan('outer');
    await call(watched, { traceparent }, trace.setSpan(context.active(), outer));
    const span = watched.span();
    expect(span.parentSpanContext?.spanId).toBe(spanId);
    expect(span.links.map((link) => link.context.spanId)).toEqual([outer.spanContext().spanId]);
  });
});

describe('the header of an HTTP request', () => {
  it('names the parent when _meta does not', async () => {
    const watched = createHeaded({ traceparent, baggage: 'tenant=header' });
    await call(watched, { baggage: 'tenant=meta' }, undefined, 'looks');
    const span = watched.span();
    expect(span.spanContext().traceId).toBe(traceId);
    expect(span.parentSpanContext?.spanId).toBe(spanId);
    expect(span.attributes['tenant']).toBe('meta');
  });

  it('is weaker than _meta', async () => {
    const other = 'a'.repeat(32);
    const watched = createHeaded({ traceparent });
    await call(watched, { traceparent: `00-${other}-${spanId}-01` });
    expect(watched.span().spanContext().traceId).toBe(other);
  });

  it('gives way to the span of the HTTP server that has continued it', async () => {
    const watched = createHeaded({ traceparent });
    const remote = propagation.extract(context.active(), { traceparent });
    const outer = watched.tracer.startSpan('POST', {}, remote);
    await call(watched, {}, trace.setSpan(context.active(), outer));
    const span = watched.span();
    expect(span.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(span.links).toEqual([]);
  });
});

/** A server behind HTTP, as far as wrappers can tell. */
function createHeaded(headers: Readonly<Record<string, string>>): Watched {
  const watched = createWatched({}, (server) =>
    server.around(({ ctx }, next) => {
      Object.defineProperty(ctx, 'header', { value: (name: string) => headers[name] });
      return next();
    }),
  );
  watched.server.tool('looks', {}, () => {
    trace.getActiveSpan()?.setAttribute('tenant', propagation.getActiveBaggage()?.getEntry('tenant')?.value ?? 'none');
    return 'seen';
  });
  return watched;
}

async function call(watched: Watched, meta: object, active: Context = context.active(), name = 'add'): Promise<void> {
  const wire = await legacySpoken.open(watched.server);
  watched.spans();
  await context.with(active, () => wire.request('tools/call', legacySpoken.params({ name }, meta)));
}
