export function strangers(): string | undefined;
export function strangersNotRun(): boolean;
export function prepareStrangers(): boolean;
