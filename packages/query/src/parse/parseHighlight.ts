import { isJsonObject, type JsonValue } from '@millrace/language';
import { invalid } from '../errors.js';
import { show } from '../show.js';
import type { Highlight, HighlightField } from '../tree/SearchRequest.js';
import { checkContentField } from './checkFieldName.js';
import { Options } from './Options.js';
import type { QueryParser } from './QueryParser.js';

const DEFAULTS: Omit<HighlightField, 'field'> = {
  preTags: ['<em>'],
  postTags: ['</em>'],
  fragmentSize: 100,
  numberOfFragments: 5,
  noMatchSize: 0,
  requireFieldMatch: true,
  order: 'none',
  encoder: 'default',
};
const MAX_FIELDS = 1024;

/** `highlight`: common options, and `fields` as an object or a list of one-key objects. */
export function parseHighlight(value: JsonValue, path: string, parser: QueryParser): Highlight {
  const options = Options.from(value, path, 'highlight');
  const common = readOptions(options, DEFAULTS, parser);
  const given = options.raw('fields') ?? options.fail('fields', 'an object or a list');
  options.end();
  const fields: HighlightField[] = [];
  for (const [field, own, place] of entriesOf(given, `${path}.fields`)) {
    checkContentField(field, place);
    const fieldOptions = Options.from(own, place, 'highlight');
    fields.push({ ...readOptions(fieldOptions, common, parser), field });
    fieldOptions.end();
  }
  if (fields.length > MAX_FIELDS) throw invalid(path, `highlight at ${path} has more than ${MAX_FIELDS} fields`);
  return { fields };
}

function entriesOf(value: JsonValue, path: string): [string, JsonValue, string][] {
  const objects: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  return objects.flatMap((item, position) => {
    const place = Array.isArray(value) ? `${path}[${position}]` : path;
    if (!isJsonObject(item)) {
      throw invalid(place, `fields of highlight at ${place} must be an object, not ${show(item)}`);
    }
    return Object.entries(item).map(([field, own]): [string, JsonValue, string] => [field, own, `${place}.${field}`]);
  });
}

function readOptions(
  options: Options,
  defaults: Omit<HighlightField, 'field'>,
  parser: QueryParser,
): Omit<HighlightField, 'field'> {
  options.choice('type', ['unified', 'plain', 'fvh']);
  const query = options.raw('highlight_query');
  const highlightQuery =
    query === undefined ? defaults.highlightQuery : parser.parse(query, `${options.path}.highlight_query`);
  const count = (key: string) => options.number(key, { min: 0, isInteger: true });
  const [preTags, postTags] = [tags(options, 'pre_tags'), tags(options, 'post_tags')];
  if (preTags !== undefined && postTags === undefined) {
    throw invalid(options.path, `highlight at ${options.path} has pre_tags without post_tags`);
  }
  return {
    preTags: preTags ?? defaults.preTags,
    postTags: postTags ?? defaults.postTags,
    fragmentSize: count('fragment_size') ?? defaults.fragmentSize,
    numberOfFragments: count('number_of_fragments') ?? defaults.numberOfFragments,
    noMatchSize: count('no_match_size') ?? defaults.noMatchSize,
    requireFieldMatch: options.boolean('require_field_match') ?? defaults.requireFieldMatch,
    order: options.choice('order', ['none', 'score']) ?? defaults.order,
    encoder: options.choice('encoder', ['default', 'html']) ?? defaults.encoder,
    ...(highlightQuery === undefined ? {} : { highlightQuery }),
  };
}

function tags(options: Options, key: string): readonly string[] | undefined {
  const list = options.texts(key);
  return list === undefined || list.length > 0 ? list : options.fail(key, 'at least one tag');
}
