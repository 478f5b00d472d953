import { wordClass, WORD_CLASS } from './wordClass.js';

/*
 * Splits text as Lucene's standard tokenizer does: words by the boundary rules of UAX #29, section 4.1.1, an ideograph
 * or hiragana character as a separate token, a run of Thai (Lao, Khmer, …) as one, emoji sequences as one. Rule numbers
 * below are those of UAX #29. One pass that looks ahead over at most one punctuation mark and its extending characters.
 */

const { other, letter, hebrew, numeric, katakana, extendNumLet, midLetter, midNum, midNumLet } = WORD_CLASS;
const { singleQuote, doubleQuote, extend, ideograph, hiragana, southEastAsian, emoji, regional } = WORD_CLASS;

const ASCII = new Uint8Array(128);
for (let c = 0; c < 128; c += 1) ASCII[c] = wordClass(c);

/** Longer tokens are cut into pieces of this many UTF-16 units. */
const MAX_TOKEN_LENGTH = 255;

/** Calls `emit` with the bounds of each token, in order. */
export function standardTokens(text: string, emit: (start: number, end: number) => void): void {
  let i = 0;
  while (i < text.length) {
    const kind = classAt(text, i);
    if (kind === other) {
      i += 1;
      continue;
    }
    const end = endOfToken(text, i, kind);
    if (end > 0) {
      emitPieces(i, end, emit);
      i = end;
    } else {
      // Not a word: the negated position to continue from.
      i = -end;
    }
  }
}

function emitPieces(start: number, end: number, emit: (start: number, end: number) => void): void {
  let from = start;
  for (; end - from > MAX_TOKEN_LENGTH; from += MAX_TOKEN_LENGTH) emit(from, from + MAX_TOKEN_LENGTH);
  emit(from, end);
}

function endOfToken(text: string, start: number, kind: number): number {
  switch (kind) {
    case letter:
    case hebrew:
    case numeric:
    case katakana:
    case extendNumLet:
      return endOfWord(text, start, kind);
    case ideograph:
    case hiragana:
      return skipExtend(text, start + widthAt(text, start));
    case southEastAsian:
      return endOfRun(text, start, southEastAsian);
    case emoji:
      return endOfEmoji(text, start);
    case regional:
      return endOfFlag(text, start);
    default:
      return -(start + widthAt(text, start));
  }
}

/** The end of the word that begins at `start`; negative if it consists of underscores and similar characters only. */
function endOfWord(text: string, start: number, first: number): number {
  let i = skipExtend(text, start + widthAt(text, start));
  let previous = first;
  let isWord = first !== extendNumLet;
  while (i < text.length) {
    const next = classAt(text, i);
    if (joins(previous, next)) {
      isWord ||= next !== extendNumLet;
      previous = next;
      i = skipExtend(text, i + widthAt(text, i));
      continue;
    }
    const after = overPunctuation(text, i, previous, next);
    if (after === i) break;
    i = after;
    // A Hebrew word may end with its quote; any other mark continues the word.
    if (i >= text.length || !joins(previous, classAt(text, i))) break;
  }
  return isWord ? i : -i;
}

/** WB5, WB8 to WB10, WB13 to WB13b. */
function joins(previous: number, next: number): boolean {
  switch (next) {
    case letter:
    case hebrew:
    case numeric:
      return previous !== katakana;
    case katakana:
      return previous === katakana || previous === extendNumLet;
    case extendNumLet:
      return true;
    default:
      return false;
  }
}

/** The position after a mark inside a word and the character after it, or `i` if the word ends before the mark. */
function overPunctuation(text: string, i: number, previous: number, mark: number): number {
  if (mark < midLetter || mark > doubleQuote) return i;
  const afterMark = skipExtend(text, i + widthAt(text, i));
  const follower = afterMark < text.length ? classAt(text, afterMark) : other;
  const isLetter = previous === letter || previous === hebrew;
  const leads = follower === letter || follower === hebrew;
  const isShared = mark === midNumLet || mark === singleQuote;
  // WB6 and WB7; WB7b and WB7c; WB11 and WB12; then WB7a, where the quote either ends the word or is followed by more
  // of it.
  if (isLetter && leads && (mark === midLetter || isShared)) return afterMark;
  if (previous === hebrew && mark === doubleQuote && follower === hebrew) return afterMark;
  if (previous === numeric && follower === numeric && (mark === midNum || isShared)) return afterMark;
  if (previous === hebrew && mark === singleQuote) return afterMark;
  return i;
}

function endOfRun(text: string, start: number, kind: number): number {
  let i = start;
  while (i < text.length && classAt(text, i) === kind) i = skipExtend(text, i + widthAt(text, i));
  return i;
}

const ZWJ = 0x200d;

function endOfEmoji(text: string, start: number): number {
  let i = skipExtend(text, start + widthAt(text, start));
  while (i < text.length && text.charCodeAt(i - 1) === ZWJ && classAt(text, i) === emoji) {
    i = skipExtend(text, i + widthAt(text, i));
  }
  return i;
}

// A flag consists of two letters; a single one is not a token.
function endOfFlag(text: string, start: number): number {
  const second = skipExtend(text, start + 2);
  if (second >= text.length || classAt(text, second) !== regional) return -second;
  return skipExtend(text, second + 2);
}

function skipExtend(text: string, from: number): number {
  let i = from;
  while (i < text.length) {
    // No ASCII character extends another one.
    if (text.charCodeAt(i) < 128 || classAt(text, i) !== extend) break;
    i += widthAt(text, i);
  }
  return i;
}

function classAt(text: string, i: number): number {
  const unit = text.charCodeAt(i);
  return unit < 128 ? (ASCII[unit] as number) : wordClass(text.codePointAt(i) as number);
}

function widthAt(text: string, i: number): number {
  return text.charCodeAt(i) >= 0xd800 && (text.codePointAt(i) as number) > 0xffff ? 2 : 1;
}
