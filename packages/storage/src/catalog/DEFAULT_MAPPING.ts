import { coreErrors, type JsonObject } from '@millrace/kernel';
import { parseMapping, type Mapping } from '@millrace/query';
import type { InjectionToken } from 'tsyringe';

/** The mapping of new collections (configuration `storage.defaultMapping`). */
export const DEFAULT_MAPPING: InjectionToken<Mapping> = Symbol('DefaultMapping');

/** @throws core.invalid_config naming the key, so that an invalid mapping stops the start */
export function parseDefaultMapping(configured: JsonObject): Mapping {
  try {
    return parseMapping(configured);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw coreErrors.invalid_config(
      { problem: `Invalid configuration storage.defaultMapping: ${reason}` },
      { cause: error },
    );
  }
}
