import type { JsonValue, Plugin } from '@millrace/kernel';
import type { ProcessOptions } from './runProcess.js';
import type { CommandCall } from './CommandCall.js';

/** An option: a switch, or one with a value. */
export interface CommandOption {
  readonly doc: string;
  /** Name of the value in the help, such as `URL`; absent: a switch. */
  readonly value?: string;
}

/** A positional argument. */
export interface CommandArgument {
  /** In capitals, such as `FILE`. */
  readonly name: string;
  readonly doc: string;
  readonly isOptional?: boolean;
}

/** One command of the command line. */
export interface Command {
  /** One or two words: `types`, `config show`. */
  readonly name: string;
  /** One sentence without a full stop, for the list of commands. */
  readonly summary: string;
  /** Further lines of the help. */
  readonly description?: string;
  readonly arguments?: readonly CommandArgument[];
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** Accepts `--config FILE` and each configuration key as an option. */
  readonly usesConfig: boolean;
  /** Has a result, which `--json` prints as JSON. */
  readonly hasResult: boolean;
  /**
   * @returns undefined if the command writes to the terminal itself
   * @throws UsageError (exit code 2), any other error (1); the message is printed
   */
  run(call: CommandCall): Promise<CommandResult | undefined>;
}

/** The result of a command that does not write to the terminal itself. */
export interface CommandResult {
  /** Printed without `--json`. */
  readonly text: string;
  /** Printed with `--json`. */
  readonly json: JsonValue;
  /** The command ran and found something wrong: exit code 1. */
  readonly isFailed?: boolean;
}

/** What a command may use of its process. */
export interface CommandContext extends Omit<ProcessOptions, 'plugins'> {
  /** Rejects if one can't be loaded. */
  readonly plugins: () => Promise<readonly Plugin[]>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The current folder. */
  readonly folder: string;
  readonly stdin: NodeJS.ReadStream | NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}
