export interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export function leftOut(
  found: TestReport,
  textOf: (file: string) => string,
  lacks: (component: string) => boolean,
): { readonly reason: string; readonly tests: readonly { readonly file: string; readonly name: string }[] }[];
