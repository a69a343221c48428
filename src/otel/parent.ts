// Which span a request belongs under: its sender's, else that of the HTTP request, else the one that is active.
import { type Context, context, type Link, propagation, type SpanContext, type TextMapGetter, trace } from '@opentelemetry/api';
import type { BaseContext } from '../server/context.ts';

export interface Parent {
  readonly parent: Context;
  /** Where the request came through, when that is another trace. */
  readonly links: Link[];
}

export function parentOf(ctx: BaseContext): Parent {
  const active = context.active();
  const ambient = trace.getSpanContext(active);
  const sent = propagation.extract(active, ctx.meta, metaGetter);
  const parent = isIn(sent, ambient) ? propagation.extract(carried(active, ctx), ctx.meta, metaGetter) : sent;
  const isElsewhere = ambient !== undefined && trace.isSpanContextValid(ambient) && !isIn(parent, ambient);
  return { parent, links: isElsewhere ? [{ context: ambient }] : [] };
}

/** By ids: a span may make a new object each time it is asked. */
function isIn(where: Context, span: SpanContext | undefined): boolean {
  const found = trace.getSpanContext(where);
  return found?.traceId === span?.traceId && found?.spanId === span?.spanId;
}

function carried(active: Context, ctx: BaseContext): Context {
  const remote = propagation.extract(active, ctx, headerGetter);
  const ambient = trace.getSpan(active);
  // An instrumented HTTP server has continued this trace already: its span is the nearer one.
  const isContinued = ambient !== undefined && ambient.spanContext().traceId === trace.getSpanContext(remote)?.traceId;
  return isContinued ? trace.setSpan(remote, ambient) : remote;
}

/** Without prefixes, as the protocol reserves them (SEP-414). */
const metaGetter: TextMapGetter<BaseContext['meta']> = {
  keys: (meta) => Object.keys(meta),
  get(meta, key) {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === 'string' ? value : undefined;
  },
};

const headerGetter: TextMapGetter<BaseContext> = {
  keys: () => ['traceparent', 'tracestate', 'baggage'],
  get: (ctx, name) => ctx.header(name),
};
