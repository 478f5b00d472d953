import {
  analyzerOf,
  wordsOf,
  type CompiledField,
  type JsonScalar,
  type TokenList,
} from '@millrace/query';

/** The tokens of a text of a request. @param analyzer undefined: the one the field has for searching */
export function analyse(
  field: CompiledField,
  text: JsonScalar,
  analyzer: string | undefined,
): TokenList {
  return wordsOf(analyzerOf(field, analyzer ?? field.searchAnalyzer), String(text));
}
