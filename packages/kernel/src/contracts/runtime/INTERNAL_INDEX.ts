import type { InjectionToken } from 'tsyringe';

/** Name of the internal index (`server.internalIndex`), which no request can access. */
export const INTERNAL_INDEX: InjectionToken<string> = Symbol.for('millrace.InternalIndex');
