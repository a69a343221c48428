import { describe, expect, it } from 'vitest';
import { addServer, removeServer } from '../../../src/install/edit/edit.ts';

describe('a JSON file', () => {
  it('is edited with a string of many megabytes in it', async () => {
    const text = `{"note":"${'x'.repeat(9_000_000)}"}`;
    const place = { format: 'jsonc', path: ['mcpServers'] } as const;
    expect(await addServer(text, place, 'new', { command: 'x' })).toBe(`${text.slice(0, -1)},"mcpServers":{"new":{"command":"x"}}}`);
  });

  it('loses an input with the last entry that uses it, and keeps the others', async () => {
    const place = { format: 'jsonc', path: ['servers'] } as const;
    const extra = { path: ['inputs'], value: { id: 'K' }, usedAs: `\${input:K}` };
    const one = { command: 'x', env: { K: `\${input:K}` } };
    const text = '{\n  "inputs": [\n    { "id": "MINE" } // keep\n  ],\n  "servers": {}\n}\n';
    const both = await addServer(await addServer(text, place, 'a', one, { extras: [extra] }), place, 'b', one, { extras: [extra] });
    const left = await removeServer(both, place, 'a', [extra]);
    expect(left).toContain('"id": "K"');
    const none = await removeServer(left, place, 'b', [extra]);
    expect(none).not.toContain('"id": "K"');
    expect(none).toContain('{ "id": "MINE" } // keep');
  });
});
