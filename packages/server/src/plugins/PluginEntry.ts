import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

/** A plugin that the configuration names. */
export interface PluginEntry {
  /** Name of a package, or a path that begins with `.` or `/`. */
  readonly plugin: string;
  /** What its function is called with. */
  readonly options?: JsonObject;
}

/**
 * Format of the key `plugins`: a list of names and paths, or of `{"plugin": "…", "options": {…}}`.
 * @throws Error that describes the expected value
 */
export function pluginEntries(value: unknown): asserts value is readonly (string | PluginEntry)[] {
  if (!Array.isArray(value) || !value.every(isEntry)) {
    throw new Error(
      'must be a list of package names and paths such as "./doors.js", or of {"plugin": "…", "options": {…}}',
    );
  }
}

/** The value of an option or environment variable: names and paths separated by commas, or the list as JSON. */
export function parsePluginEntries(text: string): JsonValue {
  if (!text.trim().startsWith('[')) return text.split(',').flatMap((each) => each.trim() || []);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function isEntry(entry: unknown): boolean {
  if (typeof entry === 'string') return entry.trim() !== '';
  if (!isJsonObject(entry)) return false;
  const { plugin, options = {}, ...others } = entry;
  const isNamed = typeof plugin === 'string' && plugin.trim() !== '';
  return isNamed && isJsonObject(options) && Object.keys(others).length === 0;
}
