import { expect, it } from 'vitest';
import { Door } from '../../../../src/cli/commands/record/access.ts';

const target = new URL('https://api.example/team/mcp?api_key=k');

it('lets through the path of the server, with its query and that of the client', () => {
  const door = new Door(target, true);
  expect(door.path).toBe(`/${door.secret}/team/mcp`);
  expect(door.passage('POST', door.path)).toEqual({ path: '/team/mcp?api_key=k', lends: true });
  expect(door.passage('POST', `${door.path}?a=1`)).toEqual({ path: '/team/mcp?api_key=k&a=1', lends: true });
});

it('lets through nothing else', () => {
  const door = new Door(target, false);
  const { secret } = door;
  const others = [
    '/team/mcp',
    '/',
    `/${secret}`,
    `/${secret}/`,
    `/${secret}/team`,
    `/${secret}/team/mcp/`,
    `/${secret}/team/mcp/../admin`,
    `/${secret}/admin`,
    `/${secret}//evil.example/team/mcp`,
    `//evil.example/${secret}/team/mcp`,
    `http://api.example/${secret}/team/mcp`,
    `/${'a'.repeat(secret.length)}/team/mcp`,
    `/${secret}x/team/mcp`,
    `/${secret.toLowerCase()}#/team/mcp`,
    '*',
    '',
  ];
  expect(others.filter((url) => door.passage('POST', url) !== undefined)).toEqual([]);
});

it('lets through a place on the same server once the server has named it', () => {
  const door = new Door(target, true);
  expect(door.passage('POST', `/${door.secret}/messages?id=1`)).toBeUndefined();
  expect(door.announce('/messages?id=1')).toBe(`/${door.secret}/messages?id=1`);
  expect(door.announce('sibling')).toBe(`/${door.secret}/team/sibling`);
  expect(door.announce('https://api.example/absolute')).toBe(`/${door.secret}/absolute`);
  expect(door.passage('POST', `/${door.secret}/messages?id=1`)).toEqual({ path: '/messages?id=1', lends: true });
  expect(door.passage('POST', `/${door.secret}/messages?id=2`)).toBeUndefined();
  expect(['https://evil.example/m', '//evil.example/m', 'http://api.example/m', 'http://['].map((place) => door.announce(place))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it('follows a server to its own path with a slash, and to nowhere else', () => {
  const door = new Door(target, true);
  expect(door.redirected('/team/mcp/?api_key=k')).toBe(`/${door.secret}/team/mcp/?api_key=k`);
  expect(door.passage('POST', `/${door.secret}/team/mcp/?api_key=k`)).toEqual({ path: '/team/mcp/?api_key=k', lends: true });
  for (const place of ['/admin', 'https://evil.example/team/mcp', '//evil.example/team/mcp/']) expect(door.redirected(place)).toBe(place);
});

it('forwards the metadata of the server with nothing lent, and none where it lends a token', () => {
  const [open, lending] = [new Door(target, false), new Door(target, true)];
  const known = '/.well-known/oauth-protected-resource';
  expect(open.passage('GET', `${known}/${open.secret}/team/mcp`)).toEqual({ path: `${known}/team/mcp`, lends: false });
  expect(open.passage('GET', known)).toEqual({ path: known, lends: false });
  expect(open.passage('GET', '/.well-known/oauth-authorization-server')?.lends).toBe(false);
  for (const path of [`${known}/team/mcp`, `${known}/${open.secret}/admin`, `${known}x`, '/.well-known/other', `${known}?a=1`])
    expect(open.passage('GET', path)).toBeUndefined();
  expect(open.passage('POST', known)).toBeUndefined();
  expect(lending.passage('GET', `${known}/${lending.secret}/team/mcp`)).toBeUndefined();
});
