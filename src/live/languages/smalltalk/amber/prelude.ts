// What is added to Amber so that cells written for other Smalltalks work in it, and so that its Transcript prints as one expects.
import { type Amber, type Behavior, send } from './amber.ts';

/** The category marks them as ours. */
const category = '*Vivarium-Live';

const additions: readonly (readonly [on: string, source: string])[] = [
  // At the end of a text its own says "Cannot add self to a string".
  [
    'Compiler',
    `parseError: anException parsing: aString
	| loc found |
	loc := anException basicAt: 'location'.
	found := anException basicAt: 'found'.
	^ ParseError messageText:
		'Parse error on line ', loc start line asString, ' column ', loc start column asString,
		' : Unexpected ', (found isNil ifTrue: [ 'end' ] ifFalse: [ 'character ', found ])`,
  ],
  ['TBehaviorProvider', "compile: aString\n\t^ self compile: aString protocol: 'as yet unclassified'"],
  ['TBehaviorProvider', 'compile: aString classified: anotherString\n\t^ self compile: aString protocol: anotherString'],
  [
    'TSubclassable',
    'subclass: aString instanceVariableNames: aString2 classVariableNames: aString3 package: aString4\n\t^ self subclass: aString instanceVariableNames: aString2 package: aString4',
  ],
  [
    'TSubclassable',
    'subclass: aString instanceVariableNames: aString2 classVariableNames: aString3 category: aString4\n\t^ self subclass: aString instanceVariableNames: aString2 package: aString4',
  ],
  [
    'LiveTranscript',
    'show: anObject\n\t<inlineJS: \'process.stdout.write(String($recv(anObject)._asString()).replace(/\\r\\n?/g, "\\n"))\'>',
  ],
  ['LiveTranscript', 'cr\n\tself show: String lf'],
  [
    'LiveTestContext',
    'execute: aBlock\n\t[ [ super execute: aBlock ] tryCatch: [ :ex | reporter value: ex ] ]\n\t\tensure: [ testCase isAsync ifFalse: [ finished value ] ]',
  ],
  ['LiveTranscript', 'clear'],
  ['LiveTranscript', 'open'],
];

/** What cells can ask of the session itself: `self fileIn: 'src/Counter.st'`. */
export interface Services {
  fileIn(path: string): unknown;
  runTests(part: string): unknown;
}

export function addPrelude(amber: Amber, services: Services): void {
  const { api, globals } = amber;
  const object = globals['Object'] as Behavior;
  api.setSlots(api.addClass('LiveTestContext', globals['TestContext'] as Behavior, 'Vivarium-Live'), ['reporter', 'finished']);
  api.addClass('LiveTranscript', object, 'Vivarium-Live');
  api.addClass('LiveWorkspace', object, 'Vivarium-Live');
  const compiler = send(globals['Compiler'], 'new');
  for (const [on, source] of additions)
    send(compiler, 'install:forClass:protocol:', source, globals[on], on.startsWith('Live') ? 'live' : category);
  const workspace = globals['LiveWorkspace'] as Behavior & { readonly fn: { readonly prototype: object } };
  for (const name of ['fileIn', 'runTests'] as const) {
    const source = `${name}: aString\n\t<inlineJS: 'return $self.a$${name}(aString)'>`;
    send(compiler, 'install:forClass:protocol:', source, workspace, 'live');
    Object.defineProperty(workspace.fn.prototype, `a$${name}`, { value: services[name] });
  }
  const transcript = send(globals['LiveTranscript'], 'new');
  send(globals['Transcript'], 'register:', transcript);
}
