import { createRequire, register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * Node.js strips types since 22.18. An older one is taught to by the TypeScript of the project, in the thread in which Node.js
 * runs its module hooks. Both take the same language: types that can be erased, `import type`, and file names with `.ts`.
 */
let isRegistered = false;

/**
 * Lets this process import TypeScript.
 * @param folder its TypeScript is used
 * @throws Error that says what to install
 */
export function stripTypes(folder: string): void {
  if (isRegistered) return;
  const need = `this Node.js (${process.version}) can't read TypeScript: npm install --save-dev typescript@5, or use Node.js 22.18 or later`;
  let typescript = '';
  try {
    typescript = createRequire(join(folder, 'any.js')).resolve('typescript');
  } catch (error) {
    // Without a stack: it is no fault of a file.
    throw Object.assign(new Error(need, { cause: error }), { stack: need });
  }
  process.setSourceMapsEnabled(true);
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, {
    data: { typescript: pathToFileURL(typescript).href, need },
  });
  isRegistered = true;
}

/** Options: ES2022 and ESNext by number. `verbatimModuleSyntax` keeps imports as Node.js does. */
const HOOKS = `
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
let compiler, need;
export async function initialize(data) {
  need = data.need;
  compiler = import(data.typescript).then((module) => module.default ?? module);
  compiler.catch(() => {});
}
export async function load(url, context, next) {
  if (!/^file:.*\\.m?ts$/.test(url) || url.includes('/node_modules/')) return next(url, context);
  const ts = await compiler;
  if (typeof ts.transpileModule !== 'function') throw new Error(need);
  const fileName = fileURLToPath(url);
  const { outputText, diagnostics } = ts.transpileModule(await readFile(fileName, 'utf8'), {
    fileName,
    reportDiagnostics: true,
    compilerOptions: { target: 9, module: 99, verbatimModuleSyntax: true, inlineSourceMap: true, inlineSources: true },
  });
  for (const { messageText, start, file } of diagnostics) {
    const message = ts.flattenDiagnosticMessageText(messageText, ' ');
    const line = file === undefined ? 1 : file.getLineAndCharacterOfPosition(start).line + 1;
    const error = new Error(message);
    error.stack = 'SyntaxError: ' + message + '\\n    at ' + url + ':' + line + ':1';
    throw error;
  }
  return { format: 'module', source: outputText, shortCircuit: true };
}
`;
