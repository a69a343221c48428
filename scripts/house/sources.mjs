// The files of src/ read from their syntax trees: size, imports, exported names, and decisions that code should not take.
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { comparesDate, comparesWording } from './decisions.mjs';

/** Every TypeScript file in `<root>/src`, sorted, with paths from there. `types` imports leave nothing behind at run time. */
export function readSources(root) {
  const src = join(realpathSync(root), 'src').split('\\').join('/');
  const paths = readdirSync(src, { recursive: true })
    .map((name) => String(name).split('\\').join('/'))
    .filter((name) => /\.tsx?$/.test(name))
    .sort();
  const files = new Set(paths);
  // A project of its own, without libraries and resolution: it reads pages and Node rooms alike, and only parses.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'house-'));
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = { noResolve: true, noLib: true, types: [], noEmit: true };
  writeFileSync(project, JSON.stringify({ compilerOptions, files: paths.map((path) => `${src}/${path}`) }));
  const api = new API({ cwd: folder });
  try {
    const { program } = api.updateSnapshot({ openProject: project }).getProject(project);
    return paths.map((path) => readSource(path, program.getSourceFile(`${src}/${path}`), files));
  } finally {
    api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSource(path, file, files) {
  const source = { path, lines: file.text.split('\n').length - 1, nodes: 0, imports: [], exported: new Set(), wordings: [], dates: [] };
  const line = (node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
  const visit = (node) => {
    source.nodes += 1;
    const found = importOf(node);
    const to = found && posix.join(posix.dirname(path), found.specifier);
    if (files.has(to)) source.imports.push({ to, typeOnly: found.typeOnly });
    for (const name of exportedNames(node)) source.exported.add(name);
    if (comparesWording(node)) source.wordings.push(line(node));
    if (comparesDate(node)) source.dates.push(line(node));
    node.forEachChild(visit);
  };
  visit(file);
  return source;
}

function importOf(node) {
  const of = (specifier, typeOnly) => (specifier?.kind === SyntaxKind.StringLiteral ? { specifier: specifier.text, typeOnly } : undefined);
  switch (node.kind) {
    case SyntaxKind.ImportDeclaration:
      return of(node.moduleSpecifier, node.importClause?.phaseModifier === SyntaxKind.TypeKeyword || onlyTypes(node.importClause));
    case SyntaxKind.ExportDeclaration:
      return of(node.moduleSpecifier, node.isTypeOnly || onlyTypes({ namedBindings: node.exportClause }));
    case SyntaxKind.CallExpression:
      return node.expression.kind === SyntaxKind.ImportKeyword ? of(node.arguments[0], false) : undefined;
    case SyntaxKind.ImportType:
      return of(node.argument.literal, true);
    default:
      return undefined;
  }
}

/** `import { type A, type B }`. */
function onlyTypes(clause) {
  const names = clause?.namedBindings?.elements;
  return clause?.name === undefined && names !== undefined && names.length > 0 && names.every(({ isTypeOnly }) => isTypeOnly);
}

function exportedNames(node) {
  if (!node.modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword)) return [];
  const declarations = node.kind === SyntaxKind.VariableStatement ? node.declarationList.declarations : [node];
  return declarations.flatMap(({ name }) => (name?.kind === SyntaxKind.Identifier ? [name.text] : []));
}
