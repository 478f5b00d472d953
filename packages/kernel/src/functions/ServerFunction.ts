import type { PluginHost } from '../plugins/PluginHost.js';

/** The same in every copy of this package: a function file imports the one in its own `node_modules`. */
const MARK = Symbol.for('millrace.ServerFunction');

/** Where a server function is exported. */
export interface FunctionPlace {
  /** Name of the file without folder and extension. */
  readonly file: string;
  /** Name of the export. */
  readonly name: string;
}

/** A server function: what `action`, `onWrite`, `on`, `cron` and `strategy` return. */
export interface ServerFunction {
  readonly kind: 'action' | 'onWrite' | 'on' | 'cron' | 'strategy';
  /** Registers it with the host of the plugin that the folder becomes. @throws core.plugin_refused */
  register(host: PluginHost, place: FunctionPlace): void;
}

export function serverFunction(kind: ServerFunction['kind'], register: ServerFunction['register']): ServerFunction {
  return Object.freeze({ kind, register, [MARK]: true });
}

/** Whether a value is a server function, of this or another copy of the kernel. */
export function isServerFunction(value: unknown): value is ServerFunction {
  return typeof value === 'object' && value !== null && MARK in value;
}
