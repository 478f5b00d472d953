import type { InjectionToken } from 'tsyringe';

/** Returns the given number of unpredictable bytes. Injected so that tests are repeatable. */
export type RandomBytes = (byteCount: number) => Uint8Array;

/** The random source of this server. */
export const RANDOM_BYTES: InjectionToken<RandomBytes> = Symbol('RandomBytes');
