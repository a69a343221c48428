// The surface of CL-MCP-Server: one tool, evaluate-lisp, one request at a time.

import { ToolError } from '../../../server/tool.ts';
import { inOneLine } from '../../../text/one-line.ts';
import type { Fault, Frame, Note, View } from '../../image/engine.ts';
import { type Ran, runWhole, stoppedText } from './single-evaluation.ts';
import type { Surface } from './surface.ts';

const maxFrames = 20;
const maxWarnings = 20;

export const commonLisp: Surface = {
  language: 'lisp',
  server: { announces: false, errorDetails: 'text', sequential: true },
  offer(server, place) {
    server.tool(
      'evaluate-lisp',
      {
        description: 'Evaluate Common Lisp code in a persistent session',
        input: {
          type: 'object',
          required: ['code'],
          properties: { code: { type: 'string', description: 'The Lisp code to evaluate' } },
        } as const,
      },
      async (args, ctx) => {
        const { package: pack } = args as { package?: unknown };
        const ran = await runWhole(place, ctx, args.code, { package: typeof pack === 'string' ? pack : undefined, apart: true });
        const text = ran.session.terms.mask(textOf(ran));
        if (ran.outcome.status !== 'ok') throw new ToolError(text, { content: ran.pictures });
        return [text, ...ran.pictures];
      },
    );
  },
};

function textOf(ran: Ran): string {
  const { outcome, printed, complaints, lost } = ran;
  const sections: string[] = [];
  const losses = outcome.status === 'lost' ? lost.slice(0, -1) : lost;
  if (losses.length > 0) sections.push(losses.map((one) => `[STATE LOST] ${one}`).join('\n'));
  if (printed !== '') sections.push(`[stdout]\n${printed.replace(/\n$/, '')}`);
  if (complaints !== '') sections.push(`[stderr]\n${complaints.replace(/\n$/, '')}`);
  const warnings = 'notes' in outcome ? (outcome.notes ?? []).filter(({ severity }) => severity !== 'note') : [];
  if (warnings.length > 0) sections.push(['[warnings]', ...warnings.slice(0, maxWarnings).map(warningText)].join('\n'));
  if (outcome.status === 'ok') return [...sections, valuesText(outcome.values ?? [outcome.value])].join('\n\n');
  const stopped = stoppedText(ran);
  const fault: Pick<Fault, 'type' | 'message' | 'frames'> =
    outcome.status === 'error' ? outcome.fault : { type: stopped?.type.toUpperCase() ?? '', message: stopped?.message ?? '', frames: [] };
  // What happened comes first, so that it is seen however much was printed.
  return [faultText(fault), ...sections].join('\n\n');
}

function valuesText(values: readonly View[]): string {
  return values.length === 0 ? '=> (no values)' : values.map(({ text }) => `=> ${text}`).join('\n');
}

function warningText({ severity, message }: Note): string {
  return `${severity.toUpperCase()}: ${message}`;
}

function faultText({ type, message, frames }: Pick<Fault, 'type' | 'message' | 'frames'>): string {
  // How it was evaluated says nothing about it, unless there is nothing else to say. Dots stand for what is left out.
  const users = frames.filter(({ own }) => own !== false);
  const shown = users.length === 0 ? frames : users;
  const lines = shown.slice(0, maxFrames).map((frame, at) => `${at}: ${frameText(frame)}`);
  if (frames.length > lines.length) lines.push('...');
  return [`[ERROR] ${type}`, message, '', '[Backtrace]', ...lines].join('\n');
}

function frameText({ name }: Frame): string {
  return name === '' ? '(top level)' : inOneLine(name);
}
