import { documentErrors, type JsonObject } from '@millrace/kernel';

const UNDERSCORE = 95;

/** Refuses top-level keys that begin with `_` (DOC-14). @throws document.reserved_key (400) */
export function assertContent(source: JsonObject): void {
  for (const key of Object.keys(source)) {
    if (key.charCodeAt(0) === UNDERSCORE) {
      throw documentErrors.reserved_key({ key: key.length > 80 ? `${key.slice(0, 80)}…` : key });
    }
  }
}
