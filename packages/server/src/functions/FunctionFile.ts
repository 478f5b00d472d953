import type { ServerFunction } from '@millrace/kernel';

/** An export of a file of server functions. */
export interface ExportedFunction {
  readonly name: string;
  /** Path and line, such as `functions/greetings.ts:3`. */
  readonly place: string;
  readonly serverFunction: ServerFunction;
}

/** A file in the folder of server functions. */
export interface FunctionFile {
  /** Name of the file without folder and extension: the controller of its actions. */
  readonly name: string;
  /** For messages: such as `functions/greetings.ts`. */
  readonly path: string;
  readonly functions: readonly ExportedFunction[];
  /** Why it is refused, with file and line where known; undefined if it is not. */
  readonly problem: string | undefined;
}
