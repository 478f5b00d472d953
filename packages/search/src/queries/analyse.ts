import { wordsOf, type JsonScalar, type TokenList } from '@millrace/language';
import { analyzerOf, type CompiledField } from '@millrace/query';

/** The tokens of text from a request. @param analyzer undefined: the field's search analyzer */
export function analyse(
  field: CompiledField,
  text: JsonScalar,
  analyzer: string | undefined,
): TokenList {
  return wordsOf(analyzerOf(field, analyzer ?? field.searchAnalyzer), String(text));
}
