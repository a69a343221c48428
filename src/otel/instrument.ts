// OpenTelemetry for a server: every request becomes a span and a duration, named as the conventions for MCP name them.
import {
  type Attributes,
  context,
  diag,
  type Histogram,
  type Meter,
  type MeterProvider,
  metrics,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { AroundCall } from '../server/core.ts';
import type { Server } from '../server/server.ts';
import { argumentsOf, describe, resultOf } from './attributes.ts';
import { cancelled, ofError, ofResult, type RequestOutcome } from './outcome.ts';
import { parentOf } from './parent.ts';

export interface InstrumentOptions {
  /** By default one of the global provider, which may be registered later. */
  readonly tracer?: Tracer | undefined;
  readonly meter?: Meter | undefined;
  /** Puts on the span what tools are given and give back, and the messages of errors, which may quote it. */
  readonly recordArguments?: boolean | undefined;
  /** More for the span, and stronger than what is there: undefined takes an attribute away. Metrics never have these. */
  readonly attributes?: ((call: AroundCall) => Attributes) | undefined;
}

/**
 * Makes a span and a duration of every request that `around` sees. Call it before other wrappers are added: what comes
 * later is measured too.
 *
 * @example
 * instrument(server);
 */
export function instrument(server: Server, options: InstrumentOptions = {}): void {
  const { recordArguments = false } = options;
  const tracer = options.tracer ?? trace.getTracer(scope);
  const durations = durationsOf(options.meter);
  server.around((call, next) => {
    const began = performance.now();
    const about = describe(call, recordArguments);
    const attributes = { ...about.span, ...(recordArguments && argumentsOf(call)), ...extra(options, call) };
    const { parent, links } = parentOf(call.ctx);
    const span = tracer.startSpan(about.name, { kind: SpanKind.SERVER, attributes, links }, parent);
    const inside = trace.setSpan(parent, span);
    let open = true;
    const end = (outcomeOf: () => RequestOutcome): void => {
      if (!open) return;
      open = false;
      quietly('The end of a request', () => {
        const outcome = outcomeOf();
        // A client may make up as many names as it likes.
        if (outcome.unknown) span.updateName(call.method);
        span.setAttributes(outcome.attributes);
        if (outcome.exception !== undefined) span.addEvent('exception', outcome.exception);
        if (outcome.failed)
          span.setStatus({ code: SpanStatusCode.ERROR, ...(outcome.message !== undefined && { message: outcome.message }) });
        const measured = { ...about.metric, ...(!outcome.unknown && about.named), ...outcome.attributes };
        durations().record((performance.now() - began) / 1_000, measured, inside);
      });
      quietly('A span', () => span.end());
    };
    // A cancelled call is answered by nothing, at once; a subscription would not end otherwise.
    const { signal } = call.ctx;
    if (signal.aborted) end(cancelled);
    else signal.addEventListener('abort', () => end(cancelled), { once: true });
    return context.with(inside, async () => {
      try {
        const result = await next();
        if (open && recordArguments) quietly('A result', () => span.setAttributes(resultOf(call, result)));
        end(() => ofResult(call, result));
        return result;
      } catch (error) {
        end(() => ofError(call, error, recordArguments));
        throw error;
      }
    });
  });
}

const scope = 'vivarium';

/** The global meter provider has no stand-in for one that is registered later, so it is asked each time. */
function durationsOf(meter: Meter | undefined): () => Histogram {
  if (meter !== undefined) {
    const histogram = createDurations(meter);
    return () => histogram;
  }
  let known: { readonly provider: MeterProvider; readonly histogram: Histogram } | undefined;
  return () => {
    const provider = metrics.getMeterProvider();
    if (known?.provider !== provider) known = { provider, histogram: createDurations(provider.getMeter(scope)) };
    return known.histogram;
  };
}

function createDurations(meter: Meter): Histogram {
  return meter.createHistogram('mcp.server.operation.duration', {
    description: 'Duration of an MCP request, from its arrival until its answer',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] },
  });
}

function extra({ attributes }: InstrumentOptions, call: AroundCall): Attributes | undefined {
  return attributes === undefined ? undefined : quietly('attributes()', () => attributes(call));
}

/** Whatever goes wrong in watching a request must not be felt by the request. */
function quietly<T>(what: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    diag.error(`vivarium/otel: ${what} could not be recorded`, error);
    return undefined;
  }
}
