// What a child process gets to see of our environment: enough to run, nothing that is secret.

const posix: readonly string[] = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'LC_*', 'TMPDIR', 'XDG_*'];

const windows: readonly string[] = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

type Variables = Readonly<Record<string, string | undefined>>;

export function childEnvironment(
  ours: Variables,
  own: Variables = {},
  inherit: boolean | readonly string[] | undefined = undefined,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const isWindows = platform === 'win32';
  // On Windows PATH and Path are one variable.
  const same = (name: string): string => (isWindows ? name.toUpperCase() : name);
  const usual = isWindows ? windows : posix;
  const wanted = (inherit === false ? [] : Array.isArray(inherit) ? [...usual, ...inherit] : usual).map(same);
  const exact = new Set(wanted);
  const starts = wanted.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  const overridden = new Set(Object.keys(own).map(same));
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) {
    const key = same(name);
    if (value === undefined || overridden.has(key)) continue;
    const chosen = inherit === true || exact.has(key) || starts.some((start) => key.startsWith(start));
    // A shell function in disguise is code that the next shell would run.
    if (chosen && (inherit === true || !value.startsWith('()'))) env[name] = value;
  }
  for (const [name, value] of Object.entries(own)) if (value !== undefined) env[name] = value;
  return env;
}
