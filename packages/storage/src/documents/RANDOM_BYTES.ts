import type { InjectionToken } from 'tsyringe';

/** Gives so many bytes that nobody can guess. Injected so that tests can repeat themselves. */
export type RandomBytes = (byteCount: number) => Uint8Array;

/** The random source of this server. */
export const RANDOM_BYTES: InjectionToken<RandomBytes> = Symbol('RandomBytes');
