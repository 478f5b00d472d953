import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The message of an error in a user's code, with the file and line where it arose.
 * @param path the file that was imported
 * @param folder the paths in the message are relative to it
 * @param own the folder of the user's code: its lines are named before those of libraries that it calls
 */
export async function placedMessage(error: unknown, path: string, folder: string, own?: string): Promise<string> {
  const { stack = '' } = error instanceof Error ? error : {};
  // Node names the place of a syntax error only to those who run the file.
  const text = error instanceof SyntaxError && placesIn(stack).length === 0 ? await checkSyntax(path) : stack;
  const places = placesIn(text);
  const isOwn = ({ file }: Place) => own !== undefined && file.startsWith(own + sep);
  const place = places.find(isOwn) ?? places[0];
  if (place === undefined) return firstLine(error);
  return `${firstLine(error)} (${relative(folder, place.file)}:${place.line})`;
}

interface Place {
  readonly file: string;
  readonly line: string;
}

/** The files and lines of a stack, without those of Node.js itself. */
function placesIn(stack: string): readonly Place[] {
  return stack
    .split('\n')
    .filter((line) => !line.includes('(node:') && !line.includes('at node:'))
    .flatMap((text) => {
      const [, file = '', line = ''] = /(file:\/\/\S+?|\/[^\s():]+):(\d+)/.exec(text) ?? [];
      if (file === '') return [];
      return [{ file: file.startsWith('file:') ? fileURLToPath(file) : file, line }];
    });
}

/** Reads the file as an ES module too: `import` detects one, `--check` doesn't. */
async function checkSyntax(path: string): Promise<string> {
  const asItIs = await check([path]);
  if (placesIn(asItIs).length > 0) return asItIs;
  const asModule = await check(['--input-type=module', '-'], await readFile(path, 'utf8'));
  return asModule.replaceAll('[stdin]', path);
}

function check(args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['--check', ...args], (_, __, output) => resolve(output));
    child.stdin?.end(input);
  });
}

/** The first line of an error's message. */
export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/** Why this Node.js can't import a file, if it is TypeScript. */
export function typeScriptProblem(path: string): string | undefined {
  // `typescript` is absent where Node.js can't strip types.
  const { features } = process as { features?: { typescript?: unknown } };
  if (!/\.m?ts$/.test(path) || features?.typescript) return undefined;
  return `this Node.js (${process.version}) can't read TypeScript`;
}
