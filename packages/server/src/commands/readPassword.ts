import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { CommandContext } from './Command.js';
import { UsageError } from './UsageError.js';

/** Longer input can't be a password. */
const MAX_BYTES = 65_536;

/**
 * Reads a password: on a terminal without showing it, otherwise the first line of standard input.
 * @param times `twice` for a new one
 * @throws UsageError if there is none, or if the two differ
 */
export async function readPassword(
  { stdin, stderr }: CommandContext,
  times: 'once' | 'twice' = 'twice',
): Promise<string> {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY;
  const password = isTerminal ? await ask(stdin, stderr, times) : await readFirstLine(stdin);
  if (password !== '') return password;
  throw new UsageError('Expected the password on standard input, as one line');
}

async function ask(
  stdin: NodeJS.ReadableStream,
  stderr: NodeJS.WritableStream,
  times: 'once' | 'twice',
): Promise<string> {
  // The interface echoes what is typed to its output.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  const answerTo = async (prompt: string): Promise<string> => {
    stderr.write(prompt);
    const answer = await lines.question('');
    stderr.write('\n');
    return answer;
  };
  try {
    const password = await answerTo('Password: ');
    if (times === 'twice' && (await answerTo('Again: ')) !== password) throw new UsageError('The two passwords differ');
    return password;
  } finally {
    lines.close();
  }
}

async function readFirstLine(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk);
    chunks.push(part);
    bytes += part.length;
    if (bytes > MAX_BYTES || part.includes('\n')) break;
  }
  return Buffer.concat(chunks).toString('utf8').split(/\r?\n/)[0] ?? '';
}
