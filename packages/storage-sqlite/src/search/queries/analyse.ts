import type { CompiledField, JsonScalar } from '@millrace/query';
import { analyzerOf } from '../analysis/Analyzer.js';
import { TokenList } from '../analysis/TokenList.js';

/** The tokens of a text of a request. @param analyzer undefined: the one the field has for searching */
export function analyse(
  field: CompiledField,
  text: JsonScalar,
  analyzer: string | undefined,
): TokenList {
  const tokens = new TokenList();
  analyzerOf(analyzer ?? field.searchAnalyzer)(String(text), tokens, 0);
  return tokens;
}
