// What a prompt takes for the beginning of more.
import { expect, it } from 'vitest';
import { isIncomplete } from '../../../../src/cli/commands/eval/incomplete.ts';

it.each([
  ['(+ 1', true],
  ['(+ 1 2)', false],
  ['(defun f (x)\n  (list x', true],
  ['(list "a)" #\\) \'|b)|) ', false],
  ['(list "a', true],
  ['"a \\" b"', false],
  ['(list #\\( 1)', false],
  ['(list 1 ; one (\n 2)', false],
  ['#| a comment (', true],
  ['#| a comment ( |# 1', false],
  ['(list #\\Space)', false],
  ['foo)', false],
  ['', false],
])('In Lisp %j needs more: %j', (code, expected) => {
  expect(isIncomplete(code, 'lisp')).toBe(expected);
});

it.each([
  ['3 + 4', false],
  ['#(1 2', true],
  ['[ :x | x', true],
  ['[ :x | x ] value: 3', false],
  ["'it''s", true],
  ["'it''s'", false],
  ['$( printString', false],
  ['3 "a comment', true],
  ['{ 1. 2 }', false],
])('In Smalltalk %j needs more: %j', (code, expected) => {
  expect(isIncomplete(code, 'smalltalk')).toBe(expected);
});
