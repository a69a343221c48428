// Every tool of a live image, as the tables of engines name them.

export const usualTools = ['evaluate', 'inspect', 'lookup', 'reload', 'debug', 'sessions'] as const;
export const allTools = [...usualTools, 'define', 'complete', 'check_syntax', 'load_file', 'profile', 'heap', 'run_tests'] as const;
export type AnyTool = (typeof allTools)[number];

export function tableHead(): string[] {
  return [`| engine | ${allTools.join(' | ')} |`, `|---|${allTools.map(() => '---|').join('')}`];
}
