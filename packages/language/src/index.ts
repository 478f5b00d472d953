export { isJsonObject, isJsonScalar, own, type JsonObject, type JsonScalar, type JsonValue } from './json/Json.js';

export { wordsOf, type Analyzer } from './analysis/Analyzer.js';
export { BUILT_IN_ANALYZERS, languageAnalyzer, stoppingAnalyzer } from './analysis/BUILT_IN_ANALYZERS.js';
export { mapCharacters, type CharacterFilter } from './analysis/CharacterFilter.js';
export { compileSeparator, SEPARATOR_FORM } from './analysis/compileSeparator.js';
export { createAnalyzer, type AnalyzerParts } from './analysis/createAnalyzer.js';
export { gramTokenizer, TOKEN_CHARACTERS, splitBy, TOKENIZERS, type Tokenizer } from './analysis/tokenizers.js';
export { lowerCase } from './analysis/lowerCase.js';
export { STEMMERS, stemmerOf, type Stemmer } from './analysis/stemmers/stemmerOf.js';
export { STOP_WORD_LANGUAGES, stopWordsOf, type StopWordLanguage } from './analysis/stopWords.js';
export {
  changing,
  eliding,
  grams,
  keeping,
  TOKEN_FILTERS,
  type Emit,
  type GramSizes,
  type TokenFilter,
} from './analysis/TokenFilter.js';
export { TokenList } from './analysis/TokenList.js';

export { compileDateFormat, DEFAULT_DATE_FORMAT } from './date/compileDateFormat.js';
export {
  createDateRounding,
  type DateRounding,
  type DateRoundingOptions,
  type CalendarUnit,
  type DateInterval,
} from './date/createDateRounding.js';
export type { DateFormat, DateParseOptions } from './date/DateFormat.js';
export { NAMED_DATE_FORMATS } from './date/namedDateFormats.js';
export { parseDateMath, type DateMathOptions } from './date/parseDateMath.js';
export { isTimeZone, type TimeZone } from './date/timeZone.js';

export {
  arcDistance,
  EARTH_RADIUS_METRES,
  circleBounds,
  isSamePoint,
  planeDistance,
  RADIANS,
  type CircleBounds,
  type Point,
} from './geo/Point.js';
export { decodeGeohash, encodeGeohash, type GeohashCell } from './geo/geohash.js';
export { metresPerUnit } from './geo/metresPerUnit.js';

export { compileLucenePattern, type LucenePatternOptions } from './regexp/translateLucene.js';
export { Pattern, type PatternShare } from './regexp/Pattern.js';
export { PatternFault } from './regexp/PatternNode.js';
export { foldCode } from './regexp/requiredTexts.js';
