// Clients of others under judgement, and what each of them breaks, with the sentence that says so.
import { fileURLToPath } from 'node:url';
import type { Report } from 'vivarium/check';
import { type ClientOptions, runClientCheck } from '../../../src/check/clients/run.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
export const ours: readonly string[] = [fixture('client-driver.mjs')];
export const v1: readonly string[] = [fixture('official-client.mjs'), 'v1'];
export const v2: readonly string[] = [fixture('official-client.mjs'), 'v2'];

export function judge(args: readonly string[], options: ClientOptions, env: Readonly<Record<string, string>> = {}): Promise<Report> {
  return runClientCheck({ command: process.execPath, args, env }, { timeout: 3_000, ...options });
}

export function brokenIn({ runs }: Report): string[] {
  return runs
    .flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned').map(({ id }) => id))
    .sort();
}
