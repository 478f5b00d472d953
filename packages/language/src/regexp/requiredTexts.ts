/*
 * Strings that every match must contain: a pattern isn't tried on a value that lacks them. For the index, letters are
 * folded to ASCII lower case on both sides, so that flag `i` needs no separate index.
 */
import { FOLDED_FROM_AFAR, literalOf } from './CharacterTest.js';
import type { PatternNode } from './PatternNode.js';

/** Shorter strings occur in most values. */
const MIN_LENGTH = 3;
const MAX_TEXTS = 16;

/** Folds the code of an ASCII capital to lower case; returns others unchanged. */
export function foldCode(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** Strings, not folded, all of which occur in every value with a match. */
export function requiredRuns(root: PatternNode, flags: string): readonly string[] {
  return flags.includes('i') ? [] : new TextFinder(flags, false).findRuns(root);
}

/** The key of a pattern in an index; strings with ASCII letters in lower case. */
export interface FoldedTexts {
  /** Strings one of which occurs in every value with a match; undefined if none of useful length is known. */
  readonly required: readonly string[] | undefined;
  /** Strings all of which occur, in this case, in every value with a match. */
  readonly needed: readonly string[];
}

export function foldedTexts(root: PatternNode, flags: string): FoldedTexts {
  return new TextFinder(flags, true).findAll(root);
}

interface Found {
  /** The only string that the node matches, if there is just one. */
  readonly whole: string | undefined;
  readonly best: readonly string[] | undefined;
}

const UNKNOWN: Found = { whole: undefined, best: undefined };

class TextFinder {
  /** Strings that every match contains. */
  private readonly runs: string[] = [];

  constructor(
    private readonly flags: string,
    private readonly isFolding: boolean,
  ) {}

  findRuns(root: PatternNode): readonly string[] {
    return this.findAll(root).needed;
  }

  findAll(root: PatternNode): FoldedTexts {
    const { whole, best } = this.find(root, true);
    const isWhole = whole !== undefined && whole !== '';
    return { required: best, needed: isWhole ? [whole] : [...new Set(this.runs)] };
  }

  /** @param isNeeded whether every match of the pattern contains a match of the node */
  find(node: PatternNode, isNeeded: boolean): Found {
    switch (node.kind) {
      case 'assertion':
        return { whole: '', best: undefined };
      case 'character': {
        const whole = this.textOf(node.source);
        return { whole, best: undefined };
      }
      case 'text':
        return this.findInText(node.text, isNeeded);
      case 'sequence':
        return this.findInSequence(node.parts, isNeeded);
      case 'choice':
        return this.findInChoice(node.parts);
      case 'repetition': {
        if (node.min === 0) return UNKNOWN;
        const part = this.find(node.part, isNeeded);
        if (node.min === 1 && node.max === 1) return part;
        return { whole: undefined, best: better(part.best, usable(part.whole)) };
      }
    }
  }

  private findInSequence(parts: readonly PatternNode[], isNeeded: boolean): Found {
    let run = '';
    let isWhole = true;
    let best: readonly string[] | undefined;
    for (const part of parts) {
      const found = this.find(part, isNeeded);
      best = better(best, found.best);
      if (found.whole !== undefined) {
        run += found.whole;
        continue;
      }
      best = better(best, usable(run));
      if (isNeeded && run !== '') this.runs.push(run);
      run = '';
      isWhole = false;
    }
    best = better(best, usable(run));
    if (isNeeded && run !== '' && !isWhole) this.runs.push(run);
    return { whole: isWhole ? run : undefined, best };
  }

  private findInChoice(parts: readonly PatternNode[]): Found {
    const texts: string[] = [];
    for (const part of parts) {
      const found = this.find(part, false);
      const best = better(found.best, usable(found.whole));
      if (best === undefined || texts.length + best.length > MAX_TEXTS) return UNKNOWN;
      texts.push(...best);
    }
    return { whole: undefined, best: texts };
  }

  private findInText(text: string, isNeeded: boolean): Found {
    const { flags } = this;
    const isPlain = !flags.includes('i') || (isAscii(text) && !(flags.includes('u') && FOLDED_FROM_AFAR.test(text)));
    if (isPlain) return { whole: this.isFolding ? foldText(text) : text, best: undefined };
    const parts = (flags.includes('u') ? [...text] : text.split('')).map((source): PatternNode => ({
      kind: 'character',
      source,
    }));
    return this.findInSequence(parts, isNeeded);
  }

  /** The only character that an element of a pattern matches, folded. */
  private textOf(source: string): string | undefined {
    const text = literalOf(source);
    if (text === undefined) return undefined;
    if (this.flags.includes('i')) {
      if (text > '\u007f') return undefined;
      if (this.flags.includes('u') && FOLDED_FROM_AFAR.test(text)) return undefined;
    }
    return this.isFolding ? foldText(text) : text;
  }
}

function isAscii(text: string): boolean {
  return !/[^\0-\u007f]/.test(text);
}

/** Folds ASCII capitals to lower case. */
function foldText(text: string): string {
  const lower = text.toLowerCase();
  if (lower === text || isAscii(text)) return lower;
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function usable(text: string | undefined): readonly string[] | undefined {
  return text !== undefined && text.length >= MIN_LENGTH ? [text] : undefined;
}

/** The set whose shortest string is longer. */
function better(a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const shortest = (texts: readonly string[]) => Math.min(...texts.map(({ length }) => length));
  return shortest(b) > shortest(a) ? b : a;
}
