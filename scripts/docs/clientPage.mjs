import ts from 'typescript';

const made = 'Made by `node scripts/generateDocs.mjs`. Do not edit.';
const FORMAT = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;

/**
 * docs/reference/client.md: what the entries of the client export, out of their docstrings.
 * @param {Record<string, string>} entries path of the source by the name of the import
 */
export function clientPage(entries, options) {
  const program = ts.createProgram(Object.values(entries), options);
  const checker = program.getTypeChecker();
  const parts = Object.entries(entries).flatMap(([name, path]) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(path));
    const exported = checker.getExportsOfModule(module).map((symbol) => resolve(checker, symbol));
    const sorted = exported
      .filter((symbol) => isOwn(symbol))
      .sort((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1));
    return [`## ${name}`, ...sorted.map((symbol) => describe(checker, symbol))];
  });
  return `<!-- ${made} -->\n\n# Client\n\nWhat \`@millrace/client\` exports. The guide is [the client](../guide/client.md).\n\n${parts.join('\n\n')}\n`;
}

function resolve(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Types of `@millrace/actions` and long generated unions are described elsewhere. */
function isOwn(symbol) {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
  return /packages\/client\/src\//.test(file) && !file.endsWith('ErrorId.ts');
}

/** Functions, classes, interfaces, types. */
function rankOf({ flags }) {
  if (flags & ts.SymbolFlags.Function) return 0;
  if (flags & ts.SymbolFlags.Class) return 1;
  return flags & ts.SymbolFlags.Interface ? 2 : 3;
}

function describe(checker, symbol) {
  const text = docOf(checker, symbol);
  const title = `### ${symbol.name}\n\n${text}`;
  if (symbol.flags & ts.SymbolFlags.Function)
    return `${title}\n\n\`\`\`ts\n${symbol.name}${signatureOf(checker, symbol)}\n\`\`\``;
  const members = membersOf(checker, symbol);
  return members === '' ? title : `${title}\n\n${members}`;
}

function membersOf(checker, symbol) {
  if (!(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface))) return '';
  const declared = [...(symbol.members?.values() ?? [])].filter(
    (member) => /^[a-zA-Z]/.test(member.name) && !(member.flags & ts.SymbolFlags.TypeParameter),
  );
  return declared
    .map((member) => {
      const isMethod = (member.flags & ts.SymbolFlags.Method) !== 0;
      const mark = member.flags & ts.SymbolFlags.Optional ? '?' : '';
      const type = isMethod ? signatureOf(checker, member) : `: ${typeOf(checker, member)}`;
      const text = docOf(checker, member);
      return `- \`${member.name}${mark}${type}\`${text === '' ? '' : `  \n  ${text.replaceAll('\n', '\n  ')}`}`;
    })
    .join('\n');
}

function typeOf(checker, symbol) {
  const { type } = symbol.valueDeclaration ?? {};
  const text = type?.getText() ?? checker.typeToString(checker.getTypeOfSymbol(symbol), undefined, FORMAT);
  return oneLine(text);
}

/** As it is written in the source. */
function signatureOf(checker, symbol) {
  const { typeParameters, parameters, type } = symbol.valueDeclaration ?? symbol.declarations[0];
  const generics = typeParameters === undefined ? '' : `<${typeParameters.map((each) => each.getText()).join(', ')}>`;
  return oneLine(`${generics}(${parameters.map((each) => each.getText()).join(', ')}): ${type?.getText() ?? 'void'}`);
}

function oneLine(text) {
  return text
    .replace(/\/\*\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function docOf(checker, symbol) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const tags = symbol.getJsDocTags(checker).map(({ name, text: parts }) => {
    const words = ts.displayPartsToString(parts);
    if (name === 'throws') return `Throws ${words}.`;
    return name === 'returns' ? `Returns ${words}.` : `\`${words.replace(/\s/, '\`: ')}.`;
  });
  return [text, ...tags].filter((part) => part !== '').join('\n\n');
}
