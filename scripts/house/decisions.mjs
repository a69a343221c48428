// Decisions that should not be taken where they are: by the wording of a message, and by the date of a revision.
import { SyntaxKind } from 'typescript/unstable/ast';

const comparisons = new Set([
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
]);

/** Prose held against something, or anything against a message: `/no answer within/.test(text)`, `error.message.includes('gone')`. */
export function comparesWording(node) {
  if (node.kind === SyntaxKind.BinaryExpression && comparisons.has(node.operatorToken.kind)) {
    const sides = [node.left, node.right];
    return sides.some(isPhrase);
  }
  const { object, method } = methodCall(node);
  if (method === 'test' || method === 'exec')
    return object.kind === SyntaxKind.RegularExpressionLiteral && (isProse(object.text) || isWorded(node.arguments[0]));
  return /^(?:includes|startsWith|endsWith|match|search)$/.test(method) && (isWorded(object) || isPhrase(node.arguments[0]));
}

/** `revision < '2025-06-18'`, `case '2025-06-18':` and `['2025-06-18'].includes(revision)`; dates that stand in a table are not compared. */
export function comparesDate(node) {
  if (node.kind === SyntaxKind.BinaryExpression)
    return comparisons.has(node.operatorToken.kind) && (isDate(node.left) || isDate(node.right));
  if (node.kind === SyntaxKind.CaseClause) return isDate(node.expression);
  const { object, method } = methodCall(node);
  return (
    method === 'includes' &&
    (isDate(node.arguments[0]) || (object.kind === SyntaxKind.ArrayLiteralExpression && object.elements.some(isDate)))
  );
}

function methodCall(node) {
  const { expression } = node.kind === SyntaxKind.CallExpression ? node : {};
  if (expression?.kind !== SyntaxKind.PropertyAccessExpression) return { object: undefined, method: '' };
  return { object: expression.expression, method: expression.name.text };
}

function isDate(node) {
  return node?.kind === SyntaxKind.StringLiteral && /^20\d\d-\d\d-\d\d$/.test(node.text);
}

function isPhrase(node) {
  return node?.kind === SyntaxKind.StringLiteral && isProse(node.text);
}

/** Two words in a row: a single one may be a code, which is compared for good reason. */
function isProse(text) {
  return /[a-z]{2} (?:\(\?:)?[a-z]{2}/i.test(text);
}

function isWorded(node) {
  const name = node?.kind === SyntaxKind.PropertyAccessExpression ? node.name : node;
  return name?.kind === SyntaxKind.Identifier && /^(?:message|reason|why|problem)$/.test(name.text);
}
