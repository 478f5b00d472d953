import { parseArgs } from 'node:util';
import { coreErrors } from '@millrace/kernel';

/** The parsed command line. */
export interface CommandLine {
  readonly isHelp: boolean;
  readonly isVersion: boolean;
  /** `--config FILE`: a configuration file other than `millrace.config.*` in the current folder. */
  readonly configFile: string | undefined;
  /** Configuration keys: `--http.port 8080` or `--http.port=8080`. */
  readonly flags: Readonly<Record<string, string>>;
}

/** @throws core.invalid_config for anything but `--key value` */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const flags: Record<string, string> = {};
  let configFile: string | undefined;
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined || token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw refuse(unexpected(token.value, tokens[0]?.kind));
    if (token.name === 'help' || token.name === 'version') continue;
    let value = token.value;
    const next = tokens[i + 1];
    if (value === undefined && next?.kind === 'positional') {
      value = next.value;
      i++;
    }
    if (value === undefined)
      throw refuse(`Flag --${token.name} needs a value: expected --${token.name} VALUE`);
    if (token.name === 'config') configFile = value;
    else flags[token.name] = value;
  }
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
  return {
    isHelp: names.includes('help'),
    isVersion: names.includes('version'),
    configFile,
    flags,
  };
}

/** The argument after a flag may be the rest of a secret containing a space, so it isn't shown. */
function unexpected(argument: string, first: string | undefined): string {
  return first === 'positional'
    ? `Unexpected argument ${JSON.stringify(argument)}`
    : 'Unexpected argument after a flag: expected --KEY VALUE, with quotes around a value that has spaces';
}

function refuse(problem: string): Error {
  return coreErrors.invalid_config({ problem });
}
