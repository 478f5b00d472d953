/** Percent-decodes once. @returns undefined if the encoding, or the UTF-8 in it, is malformed */
export function decodePart(raw: string): string | undefined {
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}
