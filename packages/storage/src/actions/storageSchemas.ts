import { DOCUMENT_METADATA_SCHEMA, schema, type JsonObject } from '@millrace/kernel';

const { text, boolean, integer, object, list, mapOf, named, orNull, number } = schema;

const source: JsonObject = { type: 'object', description: 'The content of the document.' };
const version = integer(1);
const shards = object({ total: integer(), successful: integer(), failed: integer() });
const failure = object({ id: text, status: integer(400), message: text });
const id = text;

const mapping = named(
  'Mapping',
  object({ properties: { type: 'object' } }, { dynamic: { type: ['boolean', 'string'] } }),
  'Fields and their types, in the mapping syntax of the query language.',
);

const meta = DOCUMENT_METADATA_SCHEMA;

const written = named('WrittenDocument', object({ _id: id, _version: version, _source: source, _meta: meta }));

const hit = named(
  'SearchHit',
  object(
    { _index: text, _type: text, _id: id, _score: orNull(number), _meta: meta },
    {
      _source: source,
      _version: version,
      sort: { type: 'array' },
      highlight: mapOf(list(text)),
      inner_hits: { type: 'object' },
    },
  ),
);

const query: JsonObject = {
  type: 'object',
  description: 'A query of the query language; absent or empty: every document.',
};

const sortCriterion: JsonObject = { anyOf: [text, { type: 'object' }] };
const aggregations: JsonObject = { type: 'object', description: 'Aggregations by name.' };
const patterns: JsonObject = { anyOf: [text, list(text)] };

const writtenItem = object({ _id: id, _version: version, _source: source, _meta: meta }, { created: boolean });
const failedItem = object({ status: integer(400), reason: text }, { _id: id, document: { type: 'object' } });

const bulkOutcome = object(
  { _id: orNull(text), _index: text, _type: text, status: integer(200) },
  { _version: version, error: failure },
);

const fieldSpecification = named(
  'FieldSpecification',
  object({}, { type: text, mandatory: boolean, defaultValue: {}, multivalued: {}, typeOptions: {} }),
);
const specification = named(
  'ValidationSpecification',
  object({}, { strict: boolean, fields: mapOf(fieldSpecification) }),
);
const storedSpecification = object({ index: text, collection: text, validation: specification });
const foundSpecification = object({
  _id: text,
  _source: storedSpecification,
  index: text,
  collection: text,
  validation: specification,
});

/** Schemas of the bodies and results of storage actions. */
export const storageSchemas = {
  empty: object({}),
  acknowledged: named('Acknowledged', object({ acknowledged: { const: true } })),
  boolean,
  document: named(
    'DocumentContent',
    { type: 'object' },
    'The content of a document. A key that begins with `_` is refused, but for `_id`, which names the document.',
  ),
  mappingBody: named(
    'MappingBody',
    object(
      {},
      {
        properties: { type: 'object' },
        dynamic: { type: ['boolean', 'string'] },
        settings: object({}, { analysis: { type: 'object' } }),
      },
    ),
  ),
  upsert: named(
    'UpsertBody',
    object({ doc: { type: 'object' } }, { default: { type: 'object' } }),
    '`doc` is merged into the document; where there is none, into `default`, which is then created.',
  ),
  query: named('QueryBody', object({}, { query, filter: query })),
  search: named(
    'SearchBody',
    object(
      {},
      {
        query,
        filter: query,
        post_filter: query,
        from: integer(),
        size: integer(),
        sort: { anyOf: [sortCriterion, list(sortCriterion)] },
        search_after: {
          ...list({ type: ['string', 'number', 'boolean', 'null'] }),
          description: 'The `sort` of the last hit of the page before; one value for each criterion.',
        },
        min_score: number,
        track_scores: boolean,
        track_total_hits: {
          type: ['boolean', 'integer'],
          description: 'Without effect: totals are always exact.',
        },
        version: boolean,
        timeout: {
          type: ['string', 'integer'],
          description: 'A time span such as `10s`; 0 and -1: none.',
        },
        aggregations,
        aggs: { ...aggregations, description: 'The same as `aggregations`; one of them.' },
        highlight: { type: 'object' },
        _source: {
          anyOf: [
            boolean,
            text,
            list(text),
            object({}, { includes: patterns, excludes: patterns, maxLength: integer(1) }),
          ],
          description:
            'Which fields of the documents are returned: all or none, or patterns. `maxLength` cuts longer strings and lists.',
        },
      },
    ),
    'A search of the query language. A query may also be the whole body: `{"match": {…}}`.',
  ),
  specifications: named('ValidationSpecifications', mapOf(mapOf(specification)), 'Index → collection → specification.'),
  /** Valid or not: the action checks that. */
  anySpecifications: {
    type: 'object',
    description: 'Index → collection → specification.',
  } as JsonObject,
  storedDocument: named(
    'StoredDocument',
    object({ _id: id, _index: text, _type: text, _version: version, _source: source, _meta: meta }),
  ),
  written,
  writtenOrReplaced: named(
    'CreatedOrReplacedDocument',
    object({ _id: id, _version: version, _source: source, _meta: meta, created: boolean }),
  ),
  deleted: object({ _id: id }),
  updatedMany: object({
    hits: list(text),
    errors: list(object({ _id: id, status: integer(400), reason: text })),
  }),
  deletedMany: object({ hits: list(text), ids: list(text) }),
  count: object({ count: integer() }),
  explanation: object({
    query: {
      type: 'object',
      description: 'The query as it is compared with documents, for people.',
    },
    clauses: list(
      object({
        path: text,
        usesIndex: boolean,
        cost: { ...integer(), description: 'Documents looked at.' },
      }),
    ),
    follow: object({ mode: { enum: ['incremental', 'rerun'] } }, { because: text }),
  }),
  searchResult: named(
    'SearchResult',
    object(
      {
        hits: list(hit),
        total: integer(),
        max_score: orNull(number),
        timed_out: boolean,
        took: integer(),
        _shards: shards,
      },
      { _scroll_id: text, aggregations: { type: 'object' }, from: integer(), size: integer() },
    ),
  ),
  verdict: named('ValidationVerdict', object({ valid: boolean, errorMessages: { type: 'object' } })),
  specificationVerdict: object({ valid: boolean, details: list(text), description: text }),
  storedSpecification,
  foundSpecifications: object(
    { hits: list(foundSpecification), total: integer() },
    { from: integer(), size: integer() },
  ),
  manyWritten: named(
    'ManyWritten',
    object({ successes: list(writtenItem), errors: list(failedItem) }),
    'Both lists are in the order of the request.',
  ),
  manyDeleted: object({ successes: list(text), errors: list(failedItem) }),
  bulk: named(
    'BulkResult',
    object({
      hits: list({
        ...object({}, { create: bulkOutcome, index: bulkOutcome, update: bulkOutcome, delete: bulkOutcome }),
        minProperties: 1,
        maxProperties: 1,
      }),
    }),
    'One item per action line, in order.',
  ),
  /** Mapping by collection, by index. */
  mappings: mapOf(object({ mappings: mapOf(mapping) })),
  collections: object(
    {
      collections: list(object({ name: text, type: schema.oneOf('stored', 'realtime') })),
      type: schema.oneOf('all', 'stored', 'realtime'),
    },
    { from: integer(), size: integer() },
  ),
  indexes: object({ total: integer(), hits: list(text), indexes: list(text) }),
  deletedIndexes: object({ deleted: list(text) }),
  shards: object({ _shards: shards }),
} as const;
