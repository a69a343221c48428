// Every requirement of the four sources under an id of its own, with what shows that it holds.
import { about } from './about.ts';
import { asking } from './asking.ts';
import { calls } from './calls.ts';
import { check } from './check.ts';
import { errors } from './errors.ts';
import { jsonrpc } from './jsonrpc.ts';
import { lifecycle } from './lifecycle.ts';
import { live } from './live.ts';
import { prompts } from './prompts.ts';
import type { Requirement } from './requirement.ts';
import { resources } from './resources.ts';
import { tools } from './tools.ts';
import { transports } from './transports.ts';
import { utilities } from './utilities.ts';

export const catalogue: readonly Requirement[] = [
  ...jsonrpc,
  ...errors,
  ...transports,
  ...lifecycle,
  ...resources,
  ...prompts,
  ...tools,
  ...asking,
  ...calls,
  ...utilities,
  ...live,
  ...check,
  ...about,
];
