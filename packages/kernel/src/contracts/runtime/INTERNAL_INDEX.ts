import type { InjectionToken } from 'tsyringe';

/** Name of the internal index (`server.internalIndex`): out of reach of every request. */
export const INTERNAL_INDEX: InjectionToken<string> = Symbol.for('millrace.InternalIndex');
