export const longTests: readonly { readonly why: string; readonly files: readonly string[] }[];
