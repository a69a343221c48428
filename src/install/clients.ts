// The clients that are known, one row each.
import { basename, join } from 'node:path';
import type { ClientRow, Folders, OwnCommand, Scope } from './client.ts';
import type { Extra } from './edit/edit.ts';
import { codexEntry, commonEntry, fxEntry, geminiEntry, gooseEntry, localEntry, variablesIn } from './entries.ts';

const dollar = (variable: string): string => `\${${variable}}`;
const dollarEnv = (variable: string): string => `\${env:${variable}}`;
const braces = (variable: string): string => `{env:${variable}}`;

const inHome =
  (...path: readonly string[]) =>
  ({ home }: Folders): readonly string[] => [join(home, ...path)];
const inProject =
  (...files: readonly string[]) =>
  ({ project }: Folders): readonly string[] =>
    files.map((file) => join(project, file));
const codeFolder = ({ support }: Folders): string => join(support, 'Code', 'User');

const mcpServers = ['mcpServers'] as const;
const plain = { format: 'json', path: mcpServers, entry: commonEntry() } as const;
const restart = 'Restart it to load the server';

/** A running claude rewrites ~/.claude.json all the time: an edit of ours could vanish, or erase its own. */
const claudeCommand = (scope: Scope): OwnCommand => ({
  program: 'claude',
  add: (name, entry) => ['mcp', 'add-json', '--scope', scope, name, JSON.stringify(entry)],
  remove: (name) => ['mcp', 'remove', '--scope', scope, name],
});
const claudeFile = ({ home, env }: Folders): readonly string[] => [join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json')];

/** Keeps comments. It would begin a login at a URL, and cannot forward variables. */
const codexCommand: OwnCommand = {
  program: 'codex',
  add(name, _, server) {
    if ('url' in server || server.cwd !== undefined || variablesIn(server).length > 0) return undefined;
    const env = Object.entries(server.env).flatMap(([key, value]) => ['--env', `${key}=${String(value)}`]);
    return ['mcp', 'add', name, ...env, '--', server.command, ...server.args];
  },
  remove: (name) => ['mcp', 'remove', name],
};

/** Knows which profile is in use. */
const codeCommand: OwnCommand = {
  program: 'code',
  add: (name, entry, server) => {
    const inputs = codeInputs(variablesIn(server)).map(({ value }) => value);
    return ['--add-mcp', JSON.stringify({ name, ...entry, ...(inputs.length > 0 && { inputs }) })];
  },
};

function codeInputs(variables: readonly string[]): Extra[] {
  return variables.map((id) => ({
    path: ['inputs'],
    value: { type: 'promptString', id, description: `Value of ${id}`, password: true },
    usedAs: `\${input:${id}}`,
  }));
}

export const clients: readonly ClientRow[] = [
  {
    ...plain,
    id: 'claude-code',
    name: 'Claude Code',
    files: { project: inProject('.mcp.json'), user: claudeFile, local: claudeFile },
    pathIn: (project) => ['projects', project, 'mcpServers'],
    entry: commonEntry({ stdio: { type: 'stdio' }, http: { type: 'http' }, sse: { type: 'sse' } }),
    program: 'claude',
    marks: (folders) => [folders.env['CLAUDE_CONFIG_DIR'] ?? join(folders.home, '.claude'), ...claudeFile(folders)],
    starts: 'terminal',
    reference: dollar,
    own: { user: claudeCommand('user'), local: claudeCommand('local') },
    next: {
      project: 'It asks each user once whether to trust the servers of .mcp.json; /mcp shows them',
      user: 'Start a new session; /mcp shows it',
      local: 'Start a new session in this folder; /mcp shows it',
    },
  },
  {
    ...plain,
    id: 'claude-desktop',
    name: 'Claude Desktop',
    files: { user: ({ support }) => [join(support, 'Claude', 'claude_desktop_config.json')] },
    entry: commonEntry({ remote: false }),
    marks: ({ support }) => [join(support, 'Claude')],
    starts: 'desktop',
    next: { user: 'Quit it completely and start it again' },
  },
  {
    ...plain,
    id: 'cursor',
    name: 'Cursor',
    format: 'jsonc',
    files: { project: inProject('.cursor/mcp.json'), user: inHome('.cursor', 'mcp.json') },
    marks: inHome('.cursor'),
    starts: 'login-shell',
    reference: dollarEnv,
    next: { project: 'Switch the server on under Settings > MCP', user: 'Switch the server on under Settings > MCP' },
  },
  {
    id: 'vscode',
    name: 'VS Code',
    format: 'jsonc',
    path: ['servers'],
    files: { project: inProject('.vscode/mcp.json'), user: (folders) => [join(codeFolder(folders), 'mcp.json')] },
    entry: commonEntry({ stdio: { type: 'stdio' }, http: { type: 'http' }, sse: { type: 'sse' } }),
    program: 'code',
    marks: (folders) => [codeFolder(folders)],
    cwd: true,
    starts: 'login-shell',
    reference: (variable) => `\${input:${variable}}`,
    extras: codeInputs,
    own: { user: codeCommand },
    next: {
      project: 'Trust the workspace, then start the server: it asks whether to trust it',
      user: 'Start the server in MCP: List Servers',
    },
  },
  {
    ...plain,
    id: 'copilot',
    name: 'Copilot CLI',
    format: 'jsonc',
    files: { project: inProject('.mcp.json', '.github/mcp.json'), user: inHome('.copilot', 'mcp-config.json') },
    entry: commonEntry({
      stdio: { type: 'stdio', tools: ['*'] },
      http: { type: 'http', tools: ['*'] },
      sse: { type: 'sse', tools: ['*'] },
    }),
    program: 'copilot',
    marks: inHome('.copilot'),
    starts: 'terminal',
    reference: dollar,
    next: { project: 'It loads servers of trusted folders only: answer its question about this folder', user: 'Start a new session' },
  },
  {
    ...plain,
    id: 'windsurf',
    name: 'Windsurf',
    files: { user: inHome('.codeium', 'windsurf', 'mcp_config.json') },
    entry: commonEntry({ url: 'serverUrl' }),
    marks: inHome('.codeium', 'windsurf'),
    starts: 'login-shell',
    reference: dollarEnv,
    next: { user: 'Press refresh in the MCP panel of Cascade' },
  },
  {
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    path: ['mcp_servers'],
    files: {
      project: inProject('.codex/config.toml'),
      user: ({ home, env }) => [join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml')],
    },
    entry: codexEntry,
    program: 'codex',
    marks: ({ home, env }) => [env['CODEX_HOME'] ?? join(home, '.codex')],
    cwd: true,
    starts: 'terminal',
    reference: dollar,
    own: { user: codexCommand },
    startSeconds: { most: 10, setting: 'startup_timeout_sec' },
    next: {
      project: 'It reads .codex/config.toml of trusted projects only: trust this one when it asks',
      user: 'Start a new session; /mcp shows it',
    },
  },
  {
    ...plain,
    id: 'gemini',
    name: 'Gemini CLI',
    format: 'jsonc',
    files: { project: inProject('.gemini/settings.json'), user: inHome('.gemini', 'settings.json') },
    entry: geminiEntry,
    program: 'gemini',
    marks: ({ home }) => [join(home, '.gemini', 'settings.json')],
    cwd: true,
    starts: 'terminal',
    reference: dollar,
    next: { project: 'It loads servers of trusted folders only; /mcp shows them', user: 'Start a new session; /mcp shows it' },
  },
  {
    ...plain,
    id: 'antigravity',
    name: 'Antigravity',
    files: { user: inHome('.gemini', 'config', 'mcp_config.json') },
    entry: commonEntry({ url: 'serverUrl' }),
    marks: ({ home }) => [join(home, '.gemini', 'config'), join(home, '.gemini', 'antigravity')],
    starts: 'login-shell',
    next: { user: 'Press refresh under Manage MCP Servers' },
  },
  {
    id: 'zed',
    name: 'Zed',
    format: 'jsonc',
    path: ['context_servers'],
    files: {
      project: inProject('.zed/settings.json'),
      user: ({ support, platform }) => [join(support, platform === 'linux' ? 'zed' : 'Zed', 'settings.json')],
    },
    entry: commonEntry({ stdio: { source: 'custom' }, http: { source: 'custom', type: 'http' }, sse: { source: 'custom', type: 'sse' } }),
    program: 'zed',
    marks: ({ support, platform }) => [join(support, platform === 'linux' ? 'zed' : 'Zed')],
    starts: 'login-shell',
    next: { project: 'Trust the worktree when it asks', user: 'Look for a green dot in the settings of the agent panel' },
  },
  {
    id: 'goose',
    name: 'Goose',
    format: 'yaml',
    path: ['extensions'],
    files: {
      user: ({ config, support, platform }) => [
        platform === 'win32' ? join(support, 'Block', 'goose', 'config', 'config.yaml') : join(config, 'goose', 'config.yaml'),
      ],
    },
    entry: gooseEntry,
    program: 'goose',
    marks: ({ config, support, platform }) => [join(platform === 'win32' ? join(support, 'Block') : config, 'goose')],
    starts: 'terminal',
    reference: dollar,
    next: { user: 'Start a new session' },
  },
  ...[
    { id: 'opencode', name: 'opencode', folder: 'opencode', files: ['opencode.jsonc', 'opencode.json'] },
    { id: 'kilo', name: 'Kilo', folder: 'kilo', files: ['kilo.json', 'kilo.jsonc'] },
  ].map(
    ({ id, name, folder, files }): ClientRow => ({
      id,
      name,
      format: 'jsonc',
      path: ['mcp'],
      files: { project: inProject(...files), user: ({ config }) => files.map((file) => join(config, folder, file)) },
      entry: localEntry,
      program: id,
      marks: ({ config }) => [join(config, folder)],
      starts: 'terminal',
      reference: braces,
      next: { project: restart, user: restart },
    }),
  ),
  ...clineRows(),
  {
    ...plain,
    id: 'kiro',
    name: 'Kiro',
    files: { project: inProject('.kiro/settings/mcp.json'), user: inHome('.kiro', 'settings', 'mcp.json') },
    marks: inHome('.kiro'),
    starts: 'login-shell',
    reference: dollar,
    next: { project: 'It loads the file when it is saved', user: 'It loads the file when it is saved' },
  },
  {
    ...plain,
    id: 'kimi',
    name: 'Kimi Code',
    files: { project: inProject('.kimi-code/mcp.json'), user: inHome('.kimi-code', 'mcp.json') },
    entry: commonEntry({ stdio: { transport: 'stdio' }, http: { transport: 'http' }, sse: { transport: 'sse' } }),
    program: 'kimi',
    marks: inHome('.kimi-code'),
    starts: 'terminal',
    next: { project: 'It asks whether to trust the project first', user: restart },
  },
  {
    id: 'grok',
    name: 'Grok Build',
    format: 'toml',
    path: ['mcp_servers'],
    files: { project: inProject('.grok/config.toml'), user: inHome('.grok', 'config.toml') },
    entry: commonEntry({ sse: null }),
    program: 'grok',
    marks: inHome('.grok'),
    starts: 'terminal',
    next: { project: restart, user: restart },
  },
  {
    id: 'fx',
    name: 'fx',
    format: 'json',
    path: ['mcp'],
    files: { user: inHome('.fx', 'mcp.json') },
    entry: fxEntry,
    program: 'fx',
    marks: inHome('.fx'),
    starts: 'terminal',
    next: { user: restart },
  },
  {
    ...plain,
    id: 'mastracode',
    name: 'Mastra Code',
    files: { project: inProject('.mastracode/mcp.json'), user: inHome('.mastracode', 'mcp.json') },
    program: 'mastracode',
    marks: inHome('.mastracode'),
    starts: 'terminal',
    next: { project: restart, user: restart },
  },
  {
    ...plain,
    id: 'pi',
    name: 'Pi',
    files: { project: inProject('.pi/mcp.json'), user: inHome('.pi', 'agent', 'mcp.json') },
    program: 'pi',
    marks: inHome('.pi'),
    starts: 'terminal',
    next: { project: restart, user: restart },
  },
  {
    ...plain,
    id: 'mcporter',
    name: 'MCPorter',
    format: 'jsonc',
    files: {
      project: inProject('config/mcporter.json'),
      user: ({ home }) => ['mcporter.json', 'mcporter.jsonc'].map((file) => join(home, '.mcporter', file)),
    },
    program: 'mcporter',
    marks: inHome('.mcporter'),
    starts: 'terminal',
    reference: dollar,
    next: { project: 'mcporter list shows it', user: 'mcporter list shows it' },
  },
];

function clineRows(): ClientRow[] {
  const file = join('settings', 'cline_mcp_settings.json');
  const extension = (folders: Folders): string => join(codeFolder(folders), 'globalStorage', 'saoudrizwan.claude-dev');
  const own = ({ home, env }: Folders): string => env['CLINE_DIR'] ?? join(home, '.cline');
  const entry = commonEntry({
    stdio: { disabled: false },
    http: { type: 'streamableHttp', disabled: false },
    sse: { type: 'sse', disabled: false },
  });
  const next = { user: 'It loads the file when it is saved' } as const;
  return [
    {
      ...plain,
      id: 'cline',
      name: 'Cline in VS Code',
      files: { user: (folders) => [join(extension(folders), file)] },
      entry,
      marks: (folders) => [extension(folders)],
      starts: 'login-shell',
      next,
    },
    {
      ...plain,
      id: 'cline-cli',
      name: 'Cline CLI',
      files: { user: (folders) => [join(own(folders), 'data', file)] },
      entry,
      program: 'cline',
      marks: (folders) => [own(folders)],
      starts: 'terminal',
      next,
    },
  ];
}

/** Whether a client would ever read a file of that name: a record of the journal could say anything. */
export function isNamedLikeFileOf({ files }: ClientRow, file: string, folders: Folders): boolean {
  return Object.values(files).some((of) => of(folders).some((one) => basename(one) === basename(file)));
}

export function clientById(id: string): ClientRow | undefined {
  return clients.find((client) => client.id === id);
}

export const scopes: readonly Scope[] = ['project', 'user', 'local'];
