export function publishedEdits(): string | undefined;
export function publishedNotRun(): boolean;
export function publishedNames(): string[];
export function publishedVersions(name: string): readonly [before: string, after: string];
export function preparePublished(): boolean;
