import { isJsonObject } from '@millrace/language';

/**
 * True if the value takes at most this many bytes as compact JSON in UTF-8. Stops reading a larger value at the limit.
 */
export function fitsInBytes(value: unknown, maxBytes: number): boolean {
  let left = maxBytes;
  const pending = [value];
  const takeText = (text: string) => {
    left -= text.length > left ? text.length : Buffer.byteLength(JSON.stringify(text));
  };
  while (pending.length > 0 && left >= 0) {
    const each = pending.pop();
    if (typeof each === 'string') takeText(each);
    else if (Array.isArray(each)) {
      // Brackets and commas.
      left -= Math.max(2, each.length + 1);
      for (let i = 0; i < each.length && left >= 0; i++) pending.push(each[i]);
    } else if (isJsonObject(each)) {
      const keys = Object.keys(each);
      left -= Math.max(2, 2 * keys.length + 1);
      for (let i = 0; i < keys.length && left >= 0; i++) {
        const key = keys[i] as string;
        takeText(key);
        pending.push(each[key]);
      }
    } else left -= String(each).length;
  }
  return left >= 0;
}
