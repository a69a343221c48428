// The surface of CL-MCP-Server, on real SBCL: what its reference shows, and what it promises.
import { describe, expect, it } from 'vitest';
import { createLive, javascript, type Live, lisp } from 'vivarium/live';
import { createTestClient, createWire } from 'vivarium/testing';
import { notRun } from '../../../../scripts/prepare.mjs';
import { matrix } from '../../../matrix/matrix.ts';
import { openSurface, said, shareSurface, speaker } from '../../surface.ts';

const open = (more: object = {}): Live => openSurface({ surface: 'cl', engines: [lisp()], single: false, ...more });
const shared = shareSurface({ surface: 'cl', engines: [lisp()] });
const evaluating = (id: number, code: string): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'evaluate-lisp', arguments: { code } },
});

describe.skipIf(notRun('sbcl'))('the surface cl', () => {
  matrix('offers evaluate-lisp as the reference lists it, and nothing else', {}, async ({ connect, revision }) => {
    const link = await connect(shared().server, { bare: true });
    const { result } = revision === '2026-07-28' ? await link.request('server/discover') : await link.initialize();
    expect(result.capabilities).toEqual({ tools: {} });
    expect(result.instructions).toBeUndefined();
    const { tools } = (await link.request('tools/list')).result;
    expect(tools).toEqual([
      {
        name: 'evaluate-lisp',
        description: 'Evaluate Common Lisp code in a persistent session',
        inputSchema: {
          type: 'object',
          required: ['code'],
          properties: { code: { type: 'string', description: 'The Lisp code to evaluate' } },
        },
      },
    ]);
    for (const method of ['resources/list', 'resources/templates/list', 'prompts/list', 'logging/setLevel', 'completion/complete']) {
      expect((await link.request(method)).error?.code, method).toBe(-32601);
    }
  });

  matrix('answers values after =>, and keeps what was defined', {}, async ({ connect }) => {
    const evaluate = speaker(await connect(shared().server), 'evaluate-lisp', 'code');
    expect(await evaluate('(+ 1 2 3)')).toEqual({ text: '=> 6', isError: false });
    expect(await evaluate('(floor 17 5)')).toEqual({ text: '=> 3\n=> 2', isError: false });
    expect((await evaluate('(defvar *x* 41)')).text).toBe('=> *X*');
    expect((await evaluate('(1+ *x*)')).text).toBe('=> 42');
    expect((await evaluate('(string #\\🌱)')).text).toBe('=> "🌱"');
  });

  matrix('reports a condition as a result: type, message, blank line, backtrace', {}, async ({ connect }) => {
    const evaluate = speaker(await connect(shared().server), 'evaluate-lisp', 'code');
    const { text, isError } = await evaluate('(/ 1 0)');
    expect(isError).toBe(true);
    expect(text).toMatch(/^\[ERROR\] DIVISION-BY-ZERO\n[\s\S]+\n\n\[Backtrace\]\n0: \(\/ 1 0\)\n\.\.\.$/);
    expect((await evaluate('(progn (defun halve (x) (1+ (/ x 0))) (halve 5))')).text).toMatch(
      /\n\n\[Backtrace\]\n0: \(HALVE 5\)\n\.\.\.(?:\n|$)/,
    );
    expect((await evaluate('(error "out of ~a" \'tea)')).text).toMatch(/^\[ERROR\] SIMPLE-ERROR\nout of TEA\n\n\[Backtrace\]\n/);
    expect((await evaluate('(undefined-thing 1)')).text).toMatch(/^\[ERROR\] UNDEFINED-FUNCTION\n/);
    expect(await evaluate('(1+')).toMatchObject({ isError: true });
    expect((await evaluate('(* 6 7)')).text).toBe('=> 42');
  });

  matrix('has details of protocol errors as strings in data', {}, async ({ connect }) => {
    const link = await connect(shared().server);
    expect((await link.request('unknown-method')).error).toEqual({
      code: -32601,
      message: 'Method not found',
      data: "Method 'unknown-method' is not supported",
    });
    expect((await link.request('tools/call', { arguments: {} })).error).toEqual({
      code: -32602,
      message: 'Invalid params',
      data: 'Missing required parameter: name',
    });
  });

  it('evaluates in the package that is named, and shows what was printed and warned before the value', async () => {
    await using client = await createTestClient(open().server);
    const evaluate = async (code: string, more: object = {}): Promise<string> =>
      said({ result: await client.callTool('evaluate-lisp', { code, ...more }) }).text;
    expect(await evaluate('(package-name *package*)')).toBe('=> "COMMON-LISP-USER"');
    expect(await evaluate('(package-name *package*)', { package: 'sb-ext' })).toBe('=> "SB-EXT"');
    expect(await evaluate('(format t "hello~%") 42')).toBe('[stdout]\nhello\n\n=> 42');
    expect(await evaluate('(format t "out~%") (format *error-output* "err~%") 42')).toBe('[stdout]\nout\n\n[stderr]\nerr\n\n=> 42');
    expect(await evaluate('(defun unused () (let ((y 1)) 2))')).toMatch(/^\[warnings\]\nSTYLE-WARNING: [\s\S]*Y[\s\S]*\n\n=> UNUSED$/);
    expect(await evaluate('(values)')).toBe('=> (no values)');
    expect(await evaluate('(format t "before~%") (error "no")')).toMatch(
      /^\[ERROR\] SIMPLE-ERROR\nno\n\n\[Backtrace\]\n[\s\S]*\n\n\[stdout\]\nbefore$/,
    );
  });

  it('works on one request at a time and answers in their order, but for a ping', async () => {
    await using wire = createWire(open().server);
    await wire.request('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1.0' } });
    wire.send(evaluating(11, '(progn (defvar *y* 1) (sleep 0.5) (incf *y*))'));
    wire.send({ jsonrpc: '2.0', id: 12, method: 'tools/list' });
    wire.send(evaluating(13, '(* *y* 10)'));
    wire.send({ jsonrpc: '2.0', id: 14, method: 'unknown' });
    wire.send({ jsonrpc: '2.0', id: 15, method: 'ping' });
    const answers = [await wire.next(), await wire.next(), await wire.next(), await wire.next(), await wire.next()] as { id: number }[];
    expect(answers.map(({ id }) => id)).toEqual([15, 11, 12, 13, 14]);
    expect(answers[3]).toMatchObject({ result: { content: [{ text: '=> 20' }] } });
  });

  it('stops an endless loop that is cancelled, with everything kept, and goes on with what waited', async () => {
    await using wire = createWire(open().server);
    await wire.request('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1.0' } });
    wire.send(evaluating(11, '(defvar *kept* 7)'));
    await wire.next();
    wire.send(evaluating(12, '(loop)'));
    wire.send(evaluating(13, '*kept*'));
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 12 } });
    expect(await wire.next()).toMatchObject({ id: 13, result: { content: [{ text: '=> 7' }] } });
  });

  it('says nothing of a compilation that a cancellation has aborted, and tells what the program printed with the next answer', async () => {
    await using client = await createTestClient(open().server);
    const given = new AbortController();
    const code = '(with-compilation-unit () (write-line "said") (finish-output) (loop))';
    const onProgress = ({ message = '' }): void => {
      if (message.startsWith('said')) given.abort();
    };
    await expect(client.callTool('evaluate-lisp', { code }, { signal: given.signal, onProgress })).rejects.toThrow();
    const next = said({ result: await client.callTool('evaluate-lisp', { code: '(+ 1 2)' }) }).text;
    expect(next).toBe('[stdout]\nsaid\n\n=> 3');
  });

  it('ends what takes too long, and says what was lost with an image', async () => {
    await using client = await createTestClient(open({ limits: { timeoutMs: 5_000 } }).server);
    const evaluate = async (code: string): Promise<string> => said({ result: await client.callTool('evaluate-lisp', { code }) }).text;
    expect(await evaluate('(loop)')).toMatch(/^\[ERROR\] TIMEOUT\nIt took too long and was stopped\. .* kept\.\n\n\[Backtrace\]$/);
    expect(await evaluate('(sb-ext:exit :code 3 :abort t)')).toMatch(/^\[ERROR\] STATE-LOST\ngeneration 2: it exited with code 3/);
    expect(await evaluate('(+ 1 2)')).toBe('=> 3');
  });

  it('takes whatever is written for code: unread, too much, read by code, printed by code, printed when nobody asks', async () => {
    await using client = await createTestClient(open().server);
    const evaluate = async (code: unknown, more: object = {}): Promise<string> =>
      said({ result: await client.callTool('evaluate-lisp', { code, ...more } as Record<string, unknown>) }).text;
    expect(await evaluate('(list 1')).toMatch(/^\[ERROR\] END-OF-FILE\n/);
    expect(await evaluate('(list 1))')).toMatch(/^\[ERROR\] \S*READER-ERROR\nunmatched close parenthesis/);
    expect(await evaluate('#.(error "while reading")')).toMatch(/^\[ERROR\] SIMPLE-ERROR\nwhile reading\n/);
    expect(await evaluate('#.(format t "read~%")')).toBe('[stdout]\nread\n\n=> NIL');
    expect(await evaluate(`(length "${'x'.repeat(3_000_000)}")`)).toBe('=> 3000000');
    expect(await evaluate('7', { session: 'other', timeout_ms: -1, odd: { deep: [1] } })).toBe('=> 7');
    expect(await evaluate('7', { package: 'no-such' })).toMatch(/^\[ERROR\] PACKAGE-ERROR\nThere is no package no-such/);
    for (const wrong of [undefined, null, 5, [], {}]) expect(await evaluate(wrong)).toMatch(/\/code (?:is required|must be string)/);
    const mute = '(defclass mute () ()) (defmethod print-object ((m mute) s) (error "no")) (make-instance (quote mute))';
    expect(await evaluate(mute)).toBe('=> #<MUTE that cannot be printed: no>');
    await evaluate('(defvar *go* nil) (sb-thread:make-thread (lambda () (loop until *go*) (write-line "late") (finish-output))) 1');
    let told = await evaluate('(setf *go* t)');
    await expect
      .poll(async () => {
        told += await evaluate('(+ 1 1)');
        return told;
      })
      .toMatch(/\[stdout\]\nlate\n\n=> /);
    expect(await evaluate('#.(sb-ext:exit :code 9 :abort t)')).toMatch(/^\[ERROR\] STATE-LOST\ngeneration 2: it exited with code 9/);
    expect(await evaluate('(+ 1 1)')).toBe('=> 2');
  });

  it('has one session for a caller in 2026-07-28, where nobody can name one, and for others another', async () => {
    const { server } = open();
    const as = async (id: string): Promise<(code: string) => Promise<string>> => {
      const client = await createTestClient(server, { revision: '2026-07-28', principal: { id, scopes: [] } });
      return async (code) => said({ result: await client.callTool('evaluate-lisp', { code }) }).text;
    };
    const [alice, again, bob] = [await as('alice'), await as('alice'), await as('bob')];
    expect(await alice('(defvar *secret* 5)')).toBe('=> *SECRET*');
    expect(await again('*secret*')).toBe('=> 5');
    expect(await bob('*secret*')).toContain('[ERROR] UNBOUND-VARIABLE');
  });

  it('leaves to people at the local socket our own tools, in the same session', async () => {
    const live = open({ single: true });
    await using client = await createTestClient(live.server);
    await client.callTool('evaluate-lisp', { code: '(defvar *shared* 9)' });
    await using person = await createTestClient(live.local);
    const { content } = await person.callTool('evaluate', { code: '*shared*' });
    expect(content).toMatchObject([{ text: '=> 9' }]);
  });
});

it('A surface is for its language, and has its own tools', () => {
  expect(() => createLive({ surface: 'cl', engines: [javascript()] })).toThrow('The surface cl is for lisp, not for javascript');
  expect(() => createLive({ surface: 'basic' as never })).toThrow('There is no surface "basic", only cl, pharo');
  expect(() => createLive({ surface: 'cl', engines: [{ ...javascript(), language: 'lisp' }], tools: 'all' })).toThrow('leave out tools');
});
