// After a reload the program behaves as one that is freshly started, or the answer names what does not: functions and classes.
import type { Files } from '../../../../../fixtures/live/projects.ts';
import { asFreshlyStarted, type Row } from '../../../../fresh-start.ts';

const classes: readonly Row[] = [
  {
    edit: 'a method with a class in it, in one line',
    files: { 'c.js': 'export class C {\n #p = 1;\n total() { return this.#p; }\n}\n' },
    load: "import { C } from './c.js'\nconst c = new C()",
    saved: {
      'c.js': 'export class C {\n #p = 1;\n total() { if (this.x) return class { more() { return 1; } }; return this.#p + 1; }\n}\n',
    },
    says: 'swapped c.js: C.total',
    look: 'c.total()',
  },
  {
    edit: 'lines that go from one function to another',
    files: { 'm.js': 'export function f(n) {\n  n++;\n  n *= 2;\n  n -= 1;\n  return n;\n}\nexport function g(n) {\n  return n;\n}\n' },
    load: "import { f, g } from './m.js'\n1",
    saved: { 'm.js': 'export function f(n) {\n  return n;\n}\nexport function g(n) {\n  n++;\n  n *= 2;\n  n -= 1;\n  return n;\n}\n' },
    says: 'swapped m.js: f, g',
    look: '[f(5), g(5)]',
  },
  {
    edit: 'a method that was added to a class with private fields, and is edited',
    files: { 'c.js': 'export class C {\n #p = 1;\n get() { return this.#p; }\n}\n' },
    load: "import { C } from './c.js'\nconst c = new C()",
    saved: [
      { 'c.js': 'export class C {\n #p = 1;\n get() { return this.#p; }\n more() { return this.#p + 1; }\n}\n' },
      { 'c.js': 'export class C {\n #p = 1;\n get() { return this.#p; }\n more() { return this.#p + 100; }\n}\n' },
    ],
    says: 'swapped c.js: C.more',
    look: '[c.more(), c.get()]',
  },
  {
    edit: 'an accessor that loses its other half',
    files: { 'c.js': 'export class C { v = 1; get x() { return this.v; } set x(n) { this.v = n; } }\n' },
    load: "import { C } from './c.js'\nconst c = new C()",
    saved: { 'c.js': 'export class C { v = 1; get x() { return this.v; } }\n' },
    says: 'swapped c.js: C.x (removed)',
    look: "Object.entries(Object.getOwnPropertyDescriptor(C.prototype, 'x')).map(([key, value]) => key + typeof value)",
  },
  {
    edit: 'a method that becomes an accessor, and one with a name in quotes that goes',
    files: { 'c.js': "export class C { x() { return 1; } 'a-b'() { return 1; } }\n" },
    load: "import { C } from './c.js'\nconst c = new C()",
    saved: { 'c.js': 'export class C { get x() { return 2; } }\n' },
    says: 'swapped c.js: C.x, C.a-b (removed)',
    look: "[c.x, typeof c['a-b']]",
  },
  {
    edit: 'a class that is the value of a constant',
    files: { 'c.js': 'export const C = class { a() { return 1; } };\n' },
    load: "import { C } from './c.js'\nconst c = new C()",
    saved: { 'c.js': 'export const C = class { a() { return 2; } b() { return 3; } };\n' },
    says: 'swapped c.js: C.a, C.b',
    look: '[c.a(), c.b(), c instanceof C]',
  },
];

const kinds: readonly Row[] = [
  {
    edit: 'a function that becomes asynchronous, also for who holds it',
    files: { 'm.js': 'export function f(a = 2) { return [a, 1]; }\n' },
    load: "import * as m from './m.js'\nconst held = m.f\n1",
    saved: { 'm.js': 'export async function f(a = 3) { return [a, 2]; }\n' },
    says: 'swapped m.js: f',
    look: '[await held(), await m.f()]',
  },
  {
    edit: 'a generator that becomes a plain function',
    files: { 'm.js': 'export function* f(a = 2) { yield a; }\n' },
    load: "import * as m from './m.js'\nconst held = m.f\n1",
    saved: { 'm.js': 'export function f(a = 4) { return [a, 1]; }\n' },
    says: 'swapped m.js: f (what holds f from before has the old one)',
    look: '[[...held()], m.f()]',
    sees: '[ [ 2 ], [ 4, 1 ] ]',
    fresh: '[ [ 4, 1 ], [ 4, 1 ] ]',
  },
  {
    edit: 'functions that are first called after a swap above them',
    files: {
      'm.js': 'function twice(x, g) {\n  return g(x);\n}\nconst make = (g) => (x) => twice(x, g);\nexport const a = make((x) => x * 2);\n',
    },
    load: "import { a } from './m.js'\n1",
    saved: {
      'm.js':
        'function twice(x, g) {\n  const more = "x".repeat(10).length;\n  return g(x + more);\n}\nconst make = (g) => (x) => twice(x, g);\nexport const a = make((x) => x * 2);\n',
    },
    says: 'swapped m.js: twice',
    look: 'a(1)',
  },
  {
    edit: 'a function between empty lines, with another first line',
    files: { 'm.js': 'export function f(a) { // One.\n  return a;\n}\n\nexport function g(a) {\n  return a;\n}\n\nexport const h = 1;\n' },
    load: "import * as m from './m.js'\n1",
    saved: {
      'm.js':
        'export function f(a, b) { // One.\n  if (b) {\n    return b;\n  }\n\n  return a;\n}\n\nexport function g(a) {\n  return a + 1;\n}\n\nexport const h = 1;\n',
    },
    says: 'swapped m.js: f, g',
    look: '[m.f(1, 2), m.g(1)]',
  },
  {
    edit: 'constants that are computed from each other',
    files: { 'm.js': 'const all = { a: 1 };\nexport const names = Object.keys(all);\n' },
    load: "import * as m from './m.js'\n1",
    saved: { 'm.js': 'const all = { a: 1, b: { c: 2 } };\nexport const names = [...Object.keys(all), ...Object.keys(all.b)];\n' },
    says: 'swapped m.js: all, names (what was computed from it before keeps its value)',
    look: 'm.names',
  },
  {
    edit: 'parameters that are properties',
    files: { 'p.ts': 'export class P {\n  items = [1];\n  constructor(private x: number) {}\n  get() { return this.x; }\n}\n' },
    load: "import { P } from './p'\nconst p = new P(1)",
    saved: {
      'p.ts':
        'export class P {\n  items = [1];\n  constructor(private x: number, readonly y = 2) {}\n  get() { return this.x + (this.y ?? 1); }\n}\n',
    },
    says: 'swapped p.ts: fields of P, P.constructor, P.get (instances made before keep the fields they have)',
    look: '[p.get(), new P(1).get(), p instanceof P, Object.keys(new P(1))]',
    sees: "[ 2, 3, true, [ 'x', 'y', 'items' ] ]",
    fresh: "[ 3, 3, true, [ 'x', 'y', 'items' ] ]",
  },
  {
    edit: 'a last field without a value, and another one behind it',
    files: { 'p.ts': 'export class P {\n  items = [1];\n  name: string;\n}\n' },
    load: "import { P } from './p'\nconst p = new P()",
    saved: [
      { 'p.ts': 'export class P {\n  items = [1, 2];\n  name: string;\n  more = 5;\n}\n' },
      { 'p.ts': 'export class P {\n  items = [1, 2, 3];\n  label: string;\n}\n' },
    ],
    says: 'swapped p.ts: fields of P (instances made before keep the fields they have)',
    look: '[p instanceof P, Object.entries(new P())]',
  },
  {
    edit: 'the first field of a class with a constructor',
    files: { 'p.js': 'class B {}\nexport class P extends B {\n  constructor() { super()\n    this.z = 1; }\n}\n' },
    load: "import { P } from './p.js'\nconst p = new P()",
    saved: { 'p.js': 'class B {}\nexport class P extends B {\n  x = () => this.z;\n  constructor() { super()\n    this.z = 1; }\n}\n' },
    says: 'swapped p.js: P.constructor (instances made before keep the fields they have)',
    look: '[new P().x(), p instanceof P, Object.keys(new P())]',
  },
];

const decorator = `const log: string[] = [];
export const seen = () => log.splice(0);
function logged(_: object, key: string, member: any) {
  const { value } = member;
  member.value = function (...given: any[]) { log.push(key); return value.apply(this, given); };
}
`;
const decorated = (members: string): Files => ({ 'd.ts': `${decorator}export class D {\n  #p = 1;\n  ${members}\n}\n` });
const first = '@logged get() { return this.#p; }';

const decorators: readonly Row[] = [
  {
    edit: 'a method with private names beside a decorated one, which is not called',
    files: decorated(`${first}\n  plain() { return this.#p; }`),
    load: "import { D, seen } from './d'\nconst d = new D()",
    saved: decorated(`${first}\n  plain() { return this.#p; }\n  more() { return this.#p + 1; }`),
    says: 'swapped d.ts: D.more',
    look: '[d.more(), seen()]',
  },
  {
    edit: 'a method with private names where every other is decorated',
    files: decorated(first),
    load: "import { D, seen } from './d'\nconst d = new D()",
    saved: decorated(`${first}\n  more() { return this.#p + 1; }`),
    says: /^imported anew d\.ts: the new methods of D use private names, and there is no method to reach them from/,
    look: '[new D().more(), seen()]',
  },
  {
    edit: 'a decorated method, and another one after it',
    files: decorated(first),
    load: "import { D, seen } from './d'\nconst d = new D()",
    saved: [
      decorated(`${first}\n  @logged more() { return 2; }`),
      decorated(`${first}\n  @logged more() { return 3; }\n  last() { return 4; }`),
    ],
    says: 'swapped d.ts: D.more, D.last',
    look: '[d.more(), d.get(), d.last(), seen()]',
  },
  {
    edit: 'a decorated method that becomes asynchronous',
    files: decorated(first),
    load: "import { D, seen } from './d'\nconst d = new D()",
    saved: decorated('@logged async get() { return 5; }'),
    says: 'swapped d.ts: D.get',
    look: '[await d.get(), seen()]',
  },
  {
    edit: 'a decorator of a method that had none',
    files: decorated(`${first}\n  old() { return 1; }`),
    load: "import { D, seen } from './d'\nconst d = new D()",
    saved: decorated(`${first}\n  @logged old() { return 2; }`),
    says: 'swapped d.ts: D.old, decorated D.old',
    look: '[d.old(), seen()]',
  },
];

asFreshlyStarted([
  ['functions and classes', [...classes, ...kinds]],
  ['decorators', decorators],
]);
