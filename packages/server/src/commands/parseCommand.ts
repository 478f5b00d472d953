import { parseArgs } from 'node:util';
import { didYouMean } from '@millrace/kernel';
import type { Command } from './Command.js';
import { UsageError } from './UsageError.js';

/** The arguments of a command. */
export interface ParsedCommand {
  readonly arguments: readonly string[];
  readonly switches: ReadonlySet<string>;
  readonly values: Readonly<Record<string, string>>;
  /** Configuration keys: those with a dot, `--http.port 8080` or `--http.port=8080`, `plugins` and `functions`. Not checked. */
  readonly keys: Readonly<Record<string, string>>;
}

/** The keys without a section. */
const ROOT_KEYS = ['plugins', 'functions'];

/**
 * Parses the arguments that follow the name of a command.
 * @throws UsageError naming the option or argument
 */
export function parseCommand(command: Command, args: readonly string[]): ParsedCommand {
  const withValue = optionsWithValue(command);
  const switches = switchesOf(command);
  const isKnown = (name: string) => withValue.has(name) || switches.has(name);
  const found = {
    arguments: [] as string[],
    switches: new Set<string>(),
    values: {} as Record<string, string>,
    keys: {} as Record<string, string>,
  };
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined || token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      found.arguments.push(token.value);
      continue;
    }
    const { name, rawName } = token;
    const isKey = command.usesConfig && (name.includes('.') || ROOT_KEYS.includes(name));
    if (!isKnown(name) && !isKey) {
      const known = [...withValue, ...switches];
      throw new UsageError(`Unknown option ${rawName}${didYouMean(name, known)}`);
    }
    if (switches.has(name)) {
      if (token.value !== undefined) throw new UsageError(`Option --${name} takes no value`);
      found.switches.add(name);
      continue;
    }
    const next = tokens[i + 1];
    const isNext = token.value === undefined && next?.kind === 'positional';
    const value = isNext ? next.value : token.value;
    if (isNext) i++;
    if (value === undefined) throw new UsageError(`Option --${name} needs a value: expected --${name} VALUE`);
    (isKey ? found.keys : found.values)[name] = value;
  }
  if (!found.switches.has('help')) checkCount(command, found.arguments, tokens[0]?.kind);
  return found;
}

function optionsWithValue({ options = {}, usesConfig }: Command): Set<string> {
  const own = Object.entries(options).filter(([, { value }]) => value !== undefined);
  return new Set([...own.map(([name]) => name), ...(usesConfig ? ['config'] : [])]);
}

function switchesOf({ options = {}, hasResult }: Command): Set<string> {
  const own = Object.entries(options).filter(([, { value }]) => value === undefined);
  return new Set([...own.map(([name]) => name), ...(hasResult ? ['json'] : []), 'help']);
}

function checkCount(command: Command, given: readonly string[], first: string | undefined): void {
  const known = command.arguments ?? [];
  const missing = known.find(({ isOptional }, at) => isOptional !== true && at >= given.length);
  if (missing !== undefined) throw new UsageError(`Missing argument ${missing.name}: ${missing.doc}`);
  const excess = given[known.length];
  if (excess === undefined) return;
  // The argument after an option may be the rest of a secret containing a space, so it isn't shown.
  throw new UsageError(
    first === 'positional'
      ? `Unexpected argument ${JSON.stringify(excess)}`
      : 'Unexpected argument after an option: expected --KEY VALUE, with quotes around a value that has spaces',
  );
}
