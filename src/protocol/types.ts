// Every wire type of every revision, by the specification's names.
export type * from './base.ts';
export type { ErrorObject as Error } from './base.ts';
export type * from './completion.ts';
export type * from './content.ts';
export type * from './discover.ts';
export type * from './elicitation.ts';
export type * from './input.ts';
export type * from './lifecycle.ts';
export type * from './logging.ts';
export type * from './parties.ts';
export type * from './progress.ts';
export type * from './prompts.ts';
export type * from './resources.ts';
export type * from './roots.ts';
export type * from './sampling.ts';
export type * from './subscriptions.ts';
export type * from './tasks.ts';
export type * from './tools.ts';
