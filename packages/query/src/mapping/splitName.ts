import { MappingError } from '../errors.js';
import { quote } from '../show.js';

const MAX_NAME_LENGTH = 512;

/** The parts of a field name between its dots. @throws MappingError for a long name or an empty part */
export function splitName(name: string, path: string): readonly string[] {
  const segments = name.split('.');
  if (name.length > MAX_NAME_LENGTH) {
    throw new MappingError(
      path.slice(0, 100),
      `Field name ${quote(name)} is longer than ${MAX_NAME_LENGTH} characters`,
    );
  }
  if (segments.some((segment) => segment.trim() === '')) {
    throw new MappingError(path, `Field name ${quote(name)} is empty or has an empty part`);
  }
  return segments;
}
