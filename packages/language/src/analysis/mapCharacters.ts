import { replaceParts, type CharacterFilter, type ReadText, type Replacement } from './CharacterFilter.js';

/** Replaces strings by others; if several begin at the same position, the longest wins. */
export function mapCharacters(mappings: ReadonlyMap<string, string>): CharacterFilter {
  /** By the first UTF-16 unit, the longest first. */
  const keys = new Map<string, string[]>();
  for (const key of [...mappings.keys()].sort((a, b) => b.length - a.length))
    keys.set(key.charAt(0), [...(keys.get(key.charAt(0)) ?? []), key]);
  const read = (text: string): ReadText => {
    const found: Replacement[] = [];
    for (let start = 0; start < text.length;) {
      const key = keys.get(text.charAt(start))?.find((each) => text.startsWith(each, start));
      const end = start + (key ?? ' ').length;
      if (key !== undefined) found.push({ start, end, text: mappings.get(key) ?? key });
      start = end;
    }
    return replaceParts(text, found);
  };
  return { read, normalize: (text) => read(text).text };
}
