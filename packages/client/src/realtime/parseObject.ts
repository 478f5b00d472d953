/** An object of JSON; an empty one for anything else. */
export function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return value instanceof Object ? value : {};
  } catch {
    return {};
  }
}
