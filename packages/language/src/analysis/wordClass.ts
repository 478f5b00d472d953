/*
 * The character classes of Unicode's word boundary rules (UAX #29), as far as Lucene's standard tokenizer distinguishes
 * them. JavaScript has no `Word_Break` property, so the classes are derived from available properties. Results are
 * cached in pages of 256 code points, computed at first use.
 */

/** Classes of characters at word boundaries. */
export const WORD_CLASS = {
  other: 0,
  letter: 1,
  hebrew: 2,
  numeric: 3,
  katakana: 4,
  extendNumLet: 5,
  midLetter: 6,
  midNum: 7,
  midNumLet: 8,
  singleQuote: 9,
  doubleQuote: 10,
  /** Extend, Format and ZWJ: attached to the character before them. */
  extend: 11,
  /** Each is a token. */
  ideograph: 12,
  hiragana: 13,
  /** Scripts without spaces (Thai, Lao, Khmer, Myanmar, …): a run is one token. */
  southEastAsian: 14,
  emoji: 15,
  regional: 16,
} as const;

const SOUTH_EAST_ASIAN =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=New_Tai_Lue}\p{Script=Tai_Le}\p{Script=Tai_Tham}\p{Script=Tai_Viet}\p{Script=Ahom}]/u;
const EXTEND = /[\p{Grapheme_Extend}\p{Mc}\p{Emoji_Modifier}\p{Cf}]/u;
const LETTER =
  /[\p{Alphabetic}\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02EB\u02ED\u02EF-\u02FF\u055A-\u055C\u055E\u058A\u05F3\uA708-\uA716\uA720\uA721\uA789\uA78A\uAB5B]/u;
const KATAKANA = /[\p{Script=Katakana}\u3031-\u3035\u309B\u309C\u30A0\u30FC\uFF70]/u;
const MID_LETTER = /[:\u00B7\u0387\u055F\u05F4\u2027\uFE13\uFE55\uFF1A]/;
const MID_NUM_LET = /[.\u2018\u2019\u2024\uFE52\uFF07\uFF0E]/;
const MID_NUM = /[,;\u037E\u0589\u060C\u060D\u066C\u07F8\u2044\uFE10\uFE14\uFE50\uFE54\uFF0C\uFF1B]/;

function classify(codePoint: number): number {
  const c = String.fromCodePoint(codePoint);
  if (c === "'") return WORD_CLASS.singleQuote;
  if (c === '"') return WORD_CLASS.doubleQuote;
  if (MID_LETTER.test(c)) return WORD_CLASS.midLetter;
  if (MID_NUM_LET.test(c)) return WORD_CLASS.midNumLet;
  if (MID_NUM.test(c)) return WORD_CLASS.midNum;
  if (codePoint === 0x202f || /\p{Pc}/u.test(c)) return WORD_CLASS.extendNumLet;
  if (/\p{Regional_Indicator}/u.test(c)) return WORD_CLASS.regional;
  if (codePoint === 0x200b) return WORD_CLASS.other;
  if (codePoint === 0x066b || /\p{Nd}/u.test(c)) return WORD_CLASS.numeric;
  if (SOUTH_EAST_ASIAN.test(c) && /[\p{L}\p{M}]/u.test(c)) return WORD_CLASS.southEastAsian;
  if (EXTEND.test(c)) return WORD_CLASS.extend;
  if (KATAKANA.test(c)) return WORD_CLASS.katakana;
  if (/[\p{Ideographic}\p{Script=Han}]/u.test(c) && /[\p{L}\p{Nl}]/u.test(c)) return WORD_CLASS.ideograph;
  if (/\p{Script=Hiragana}/u.test(c)) return WORD_CLASS.hiragana;
  if (/\p{Script=Hebrew}/u.test(c) && /\p{Lo}/u.test(c)) return WORD_CLASS.hebrew;
  if (LETTER.test(c)) return WORD_CLASS.letter;
  if (codePoint > 0xff && /\p{Extended_Pictographic}/u.test(c)) return WORD_CLASS.emoji;
  return WORD_CLASS.other;
}

const pages: (Uint8Array | undefined)[] = [];

function pageOf(index: number): Uint8Array {
  const page = new Uint8Array(256);
  for (let i = 0; i < 256; i += 1) {
    const codePoint = index * 256 + i;
    // Unpaired surrogates occur only in malformed text.
    if (codePoint < 0xd800 || codePoint > 0xdfff) page[i] = classify(codePoint);
  }
  pages[index] = page;
  return page;
}

/** The class of a code point: a value of `WORD_CLASS`. */
export function wordClass(codePoint: number): number {
  return (pages[codePoint >>> 8] ?? pageOf(codePoint >>> 8))[codePoint & 255] as number;
}
