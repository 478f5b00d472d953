import type { Analyzer } from './Analyzer.js';
import type { CharacterFilter } from './CharacterFilter.js';
import type { Emit, TokenFilter } from './TokenFilter.js';
import type { Tokenizer } from './tokenizers.js';

/** The parts of a custom analyzer, in the order in which they are applied. */
export interface AnalyzerParts {
  readonly characterFilters: readonly CharacterFilter[];
  readonly tokenize: Tokenizer;
  /** Whether white space ends a token. */
  readonly isOfWords: boolean;
  readonly filters: readonly TokenFilter[];
}

/** Builds an analyzer from parts. */
export function createAnalyzer(name: string, parts: AnalyzerParts): Analyzer {
  const { characterFilters, tokenize, isOfWords, filters } = parts;
  const stacks = filters.some((filter) => filter.stacks === true);
  return {
    name,
    stacks,
    isOfWords,
    normalize: (text) => {
      let normal = text;
      for (const { normalize } of [...characterFilters, ...filters]) normal = normalize?.(normal) ?? normal;
      return normal;
    },
    analyze: (text, tokens, from) => {
      let position = from - 1;
      const skips: (() => number)[] = [];
      let emit: Emit = (term, increment, start, end) => {
        position += increment;
        tokens.add(term, position, start, end);
      };
      for (const { open } of [...filters].reverse()) emit = open(emit, (skip) => skips.push(skip));
      if (characterFilters.length === 0) {
        tokenize(text, (start, end) => {
          emit(text.slice(start, end), 1, start, end);
        });
      } else {
        const { text: read, originOf } = readThrough(characterFilters, text);
        tokenize(read, (start, end) => {
          emit(read.slice(start, end), 1, originOf(start), originOf(end));
        });
      }
      return skips.reduce((end, skip) => end + skip(), position + 1);
    },
  };
}

function readThrough(filters: readonly CharacterFilter[], text: string) {
  let read = text;
  let originOf = (offset: number) => offset;
  for (const filter of filters) {
    const before = originOf;
    const changed = filter.read(read);
    read = changed.text;
    originOf = (offset) => before(changed.originOf(offset));
  }
  return { text: read, originOf };
}
