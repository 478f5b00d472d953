import { forbidden, invalid } from '../errors.js';
import { METADATA_FIELDS } from '../mapping/METADATA_FIELDS.js';
import { quote } from '../show.js';

const MAX_NAME_LENGTH = 512;

/**
 * Refuses names of metadata (SEARCH-72) except for the four fields of `_meta`. Documents can't have top-level keys that
 * begin with `_` (DOC-14), so every such name belongs to the storage engine or the service.
 */
export function checkFieldName(name: string, path: string, allowed?: '_id'): string {
  return METADATA_FIELDS.has(name) ? name : checkContentField(name, path, allowed);
}

/** As `checkFieldName`, for features limited to document content: no exception for `_meta`. */
export function checkContentField(name: string, path: string, allowed?: '_id'): string {
  if (name === '') throw invalid(path, `Empty field name at ${path}`);
  if (name.length > MAX_NAME_LENGTH) {
    throw invalid(path, `Field name ${quote(name)} at ${path} is longer than ${MAX_NAME_LENGTH}`);
  }
  if (name.startsWith('_') && name !== allowed) {
    throw forbidden(path, `Metadata field ${quote(name)} is not allowed at ${path}`);
  }
  return name;
}
