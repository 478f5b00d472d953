import ts from 'typescript';

const MAX_TYPE_LENGTH = 400;
const FORMAT = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;

/**
 * A page of docs/reference: what a package exports, out of its docstrings.
 * @param {object} page
 * @param {string} page.title
 * @param {string} page.intro Markdown
 * @param {string} page.folder sources of the package; what it exports again of others is described elsewhere
 * @param {readonly {title: string, entry: string, of?: RegExp}[]} page.sections `entry`: path of a source in the folder;
 *   `of`: the files below the folder whose exports belong to the section
 */
export function packagePage({ title, intro, folder, sections }, options) {
  const program = ts.createProgram([...new Set(sections.map(({ entry }) => folder + entry))], options);
  const checker = program.getTypeChecker();
  const parts = sections.flatMap(({ title: heading, entry, of: files = /./ }) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(folder + entry));
    const exported = checker.getExportsOfModule(module).map((symbol) => resolve(checker, symbol));
    const sorted = [...new Set(exported)]
      .filter((symbol) => isDescribed(symbol, folder, files))
      .sort((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1));
    if (sorted.length === 0) throw new Error(`${title}: no export belongs to ${heading}`);
    return [`## ${heading}`, ...sorted.map((symbol) => describe(checker, symbol))];
  });
  return `# ${title}\n\n${intro}\n\n${parts.join('\n\n')}\n`;
}

function resolve(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Long generated unions are described elsewhere. */
function isDescribed(symbol, folder, files) {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
  return file.startsWith(folder) && files.test(file.slice(folder.length)) && !file.endsWith('ErrorId.ts');
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
  const members = membersOf(checker, symbol) || shortTypeOf(checker, symbol);
  return members === '' ? title : `${title}\n\n${members}`;
}

/** The declaration of a type, or the type of a constant, if it is short enough to help. */
function shortTypeOf(checker, symbol) {
  if (!(symbol.flags & (ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Variable))) return '';
  const [declaration] = symbol.declarations;
  const isType = (symbol.flags & ts.SymbolFlags.TypeAlias) !== 0;
  const text = isType
    ? oneLine(declaration.getText().replace(/^export /, ''))
    : `const ${symbol.name}: ${typeOf(checker, symbol)}`;
  return text.length > MAX_TYPE_LENGTH ? '' : `\`\`\`ts\n${text}\n\`\`\``;
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
