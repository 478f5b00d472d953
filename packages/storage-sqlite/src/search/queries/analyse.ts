import {
  analyzerOf,
  scalarText,
  TokenList,
  type CompiledField,
  type JsonScalar,
} from '@millrace/query';

/** The tokens of a text of a request. @param analyzer undefined: the one the field has for searching */
export function analyse(
  field: CompiledField,
  text: JsonScalar,
  analyzer: string | undefined,
): TokenList {
  const tokens = new TokenList();
  analyzerOf(analyzer ?? field.searchAnalyzer)(scalarText(text), tokens, 0);
  return tokens;
}
