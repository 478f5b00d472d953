import { lowerCase } from '@millrace/language';
import { analyzerOf, type CompiledField } from '@millrace/query';
import { PlacedTokenList } from '../analysis/PlacedTokenList.js';

/**
 * The terms of a string in a text or keyword field.
 * @param analyzer undefined: the string as a whole is the term, as in keyword fields
 */
export function tokensIn(field: CompiledField, text: string, analyzer: string | undefined): PlacedTokenList {
  const tokens = new PlacedTokenList();
  if (analyzer !== undefined) analyzerOf(field, analyzer).analyze(text, tokens, 0);
  else tokens.add(field.isLowerCased ? lowerCase(text) : text, 0, 0, text.length);
  return tokens;
}
