/** Text as a tokenizer reads it. */
interface ReadText {
  readonly text: string;
  /** Maps an offset in it to the offset in the original text. */
  readonly originOf: (offset: number) => number;
}

/** A step before the tokenizer. */
export interface CharacterFilter {
  readonly read: (text: string) => ReadText;
  /** Its effect on part of a word; absent: none. */
  readonly normalize?: (text: string) => string;
}

/** A part of the text and its replacement. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with some parts replaced. @param replacements ascending, without overlaps */
function replaceParts(text: string, replacements: readonly Replacement[]): ReadText {
  if (replacements.length === 0) return { text, originOf: (offset) => offset };
  let read = '';
  let at = 0;
  /** Start and end of each replacement in the result. */
  const borders: { readonly start: number; readonly end: number; readonly by: Replacement }[] = [];
  for (const by of replacements) {
    read += text.slice(at, by.start);
    borders.push({ start: read.length, end: read.length + by.text.length, by });
    read += by.text;
    at = by.end;
  }
  read += text.slice(at);
  const originOf = (offset: number): number => {
    let [low, high] = [0, borders.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((borders[middle] as { start: number }).start <= offset) low = middle + 1;
      else high = middle;
    }
    const border = borders[low - 1];
    if (border === undefined) return offset;
    const { start, end, by } = border;
    if (offset >= end) return by.end + offset - end;
    return Math.min(by.start + offset - start, by.end);
  };
  return { text: read, originOf };
}

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
