// Every passive rule.
import type { Rule } from '../rule.ts';
import { codes } from './codes.ts';
import { envelope } from './envelope.ts';
import { framing } from './framing.ts';
import { http } from './http.ts';
import { lifecycle } from './lifecycle.ts';
import { meta } from './meta.ts';
import { replies } from './replies.ts';
import { results } from './results.ts';
import { streams } from './streams.ts';

export const rules: readonly Rule[] = [framing, envelope, replies, lifecycle, codes, results, meta, http, streams];
