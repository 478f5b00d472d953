/*
 * The first stage of live matching: a filter of the real-time language that every match of a query fulfils. The filter
 * engine finds the candidates among 100,000 queries; `matches` decides them. Exact are terms, ranges of numbers and
 * dates, `exists`, ids, words, and `bool` over these; for the rest the filter is what follows from the query cheaply.
 *
 * The fields of nested objects are taken together: what matches in one object matches among all values too, but not the
 * other way round, and never below a negation.
 */
import type { JsonObject } from '@millrace/language';
import type { BoolQuery, BoundQuery, BoundRange, CoercedTerm, CompiledField } from '@millrace/query';
import { nextDouble } from '../queries/nextDouble.js';
import { pathOf } from './pathOf.js';

/** A filter of the real-time language over the indexed values of documents (`LiveReader`). */
type LiveFilter = JsonObject;

/** What the filter engine can say about a query. */
interface Bounds {
  /** True for every document that matches. */
  readonly necessary: LiveFilter;
  /** True for documents that match only. */
  readonly sufficient: LiveFilter;
  /** Whether `necessary` is sufficient too. */
  readonly isExact: boolean;
}

const EVERYTHING: LiveFilter = { match_all: {} };
const NOTHING: LiveFilter = { nothing: {} };

const ALL: Bounds = { necessary: EVERYTHING, sufficient: EVERYTHING, isExact: true };
const NONE: Bounds = { necessary: NOTHING, sufficient: NOTHING, isExact: true };

/** A condition that decides a part of a query. */
function exactly(filter: LiveFilter): Bounds {
  return { necessary: filter, sufficient: filter, isExact: true };
}

/** A condition that every match fulfils; others may too. */
function atMost(filter: LiveFilter): Bounds {
  return { necessary: filter, sufficient: NOTHING, isExact: false };
}

function allOf(parts: readonly Bounds[]): Bounds {
  const [only] = parts;
  if (only === undefined) return ALL;
  return parts.length === 1 ? only : joined('and', parts);
}

function anyOf(parts: readonly Bounds[]): Bounds {
  const [only] = parts;
  if (only === undefined) return NONE;
  return parts.length === 1 ? only : joined('or', parts);
}

function not({ necessary, sufficient, isExact }: Bounds): Bounds {
  return { necessary: { not: sufficient }, sufficient: { not: necessary }, isExact };
}

function joined(operator: 'and' | 'or', parts: readonly Bounds[]): Bounds {
  return {
    necessary: { [operator]: parts.map(({ necessary }) => necessary) },
    sufficient: { [operator]: parts.map(({ sufficient }) => sufficient) },
    isExact: parts.every(({ isExact }) => isExact),
  };
}

/** More values are not compared one by one. */
const MAX_VALUES = 256;
/** Metres, about: no two points are farther apart. */
const HALF_A_TURN = 20_000_000;

/** The bounds of a query, and the ordinals of the fields that they name, each once. */
export interface QueryBounds extends Bounds {
  readonly fields: readonly number[];
}

/** @param query decidable on one document, see `whyUndecidable` */
export function boundsOf(query: BoundQuery): QueryBounds {
  const reader = new BoundsReader(false, new Set());
  const bounds = reader.read(query);
  return { ...bounds, fields: [...reader.fields] };
}

class BoundsReader {
  /** @param isNested within a `nested` query */
  constructor(
    private readonly isNested: boolean,
    readonly fields: Set<number>,
  ) {}

  read(query: BoundQuery): Bounds {
    switch (query.kind) {
      case 'match_all':
        return ALL;
      case 'match_none':
        return NONE;
      case 'term':
        return query.caseInsensitive ? this.present(query.mapped) : this.hasTerm(query.mapped, query.term);
      case 'terms':
        return query.terms.length > MAX_VALUES
          ? this.present(query.mapped)
          : anyOf(query.terms.map((term) => this.hasTerm(query.mapped, term)));
      case 'range':
        return this.inRange(query);
      case 'exists':
        return anyOf(query.fields.map((field) => this.ofField(field, exactly(exists(field)))));
      case 'ids':
        return query.values.length > MAX_VALUES
          ? atMost({ match_all: {} })
          : exactly({ ids: { values: query.values } });
      case 'match':
        return this.hasWords(
          query.words.map(({ terms }) => this.hasAnyText(query.mapped, terms)),
          query,
        );
      case 'match_phrase':
        return inexactly(allOf(query.words.map(({ terms }) => this.hasAnyText(query.mapped, terms))));
      case 'cross_fields':
        return this.hasWords(
          query.words.map((terms) => anyOf(terms.flat().map(({ mapped, term }) => this.hasTerm(mapped, term)))),
          query,
        );
      case 'bool':
        return this.bool(query);
      case 'constant_score':
        return this.read(query.filter);
      case 'dis_max':
        return anyOf(query.queries.map((each) => this.read(each)));
      case 'boosting':
        return this.read(query.positive);
      case 'function_score':
        return this.read(query.query);
      case 'nested':
        return inexactly(new BoundsReader(true, this.fields).read(query.query));
      case 'geo_bounding_box': {
        const { top, left, bottom, right } = query;
        return this.atPoint(query.mapped, 'geoBoundingBox', { top, left, bottom, right });
      }
      case 'geo_distance': {
        const { distanceMetres: metres, point } = query;
        if (metres > HALF_A_TURN) return this.present(query.mapped);
        // Both languages measure with the same function; a distance in a filter has six decimals.
        const rounded = Math.ceil(metres * 1e6) / 1e6;
        const within = this.atPoint(query.mapped, 'geoDistance', point, {
          distance: `${rounded} m`,
        });
        return rounded === metres ? within : inexactly(within);
      }
      case 'prefix':
      case 'wildcard':
      case 'regexp':
      case 'fuzzy':
      case 'match_phrase_prefix':
      case 'match_bool_prefix':
      case 'distance_feature':
      case 'geo_polygon':
      case 'geo_shape':
        return this.present(query.mapped);
    }
  }

  private bool({ must, filter, should, mustNot, minimumShouldMatch }: BoolQuery<BoundQuery>): Bounds {
    const parts = [...must, ...filter].map((each) => this.read(each));
    const choices = should.map((each) => this.read(each));
    if (minimumShouldMatch > choices.length) return NONE;
    if (minimumShouldMatch === choices.length) parts.push(...choices);
    else if (minimumShouldMatch === 1) parts.push(anyOf(choices));
    else if (minimumShouldMatch > 1) parts.push(inexactly(anyOf(choices)));
    if (!this.isNested) parts.push(...mustNot.map((each) => not(this.read(each))));
    return allOf(parts);
  }

  /** The words of a text query. */
  private hasWords(
    words: readonly Bounds[],
    query: { readonly operator: 'or' | 'and'; readonly minimumShouldMatch?: unknown },
  ): Bounds {
    if (query.operator === 'and') return allOf(words);
    const some = anyOf(words);
    return query.minimumShouldMatch === undefined || words.length === 1 ? some : inexactly(some);
  }

  private hasAnyText(field: CompiledField, terms: readonly string[]): Bounds {
    return anyOf(terms.map((value) => this.hasTerm(field, { kind: 'text', value })));
  }

  private hasTerm(field: CompiledField, term: CoercedTerm): Bounds {
    switch (term.kind) {
      case 'none':
        return NONE;
      case 'text':
        return this.ofField(field, exactly({ equals: { [pathOf(field)]: term.value } }));
      case 'number':
        return this.between(field, term.value, term.value);
      case 'boolean':
        return this.between(field, term.value ? 1 : 0, term.value ? 1 : 0);
      case 'dates':
        return this.between(field, term.firstMs, term.lastMs);
      case 'ips':
        return term.first === term.last
          ? this.hasTerm(field, { kind: 'text', value: term.first })
          : this.present(field);
    }
  }

  private inRange({ range, mapped }: BoundRange): Bounds {
    if (range.kind === 'text') return this.present(mapped);
    const { lower, upper } = range;
    const low = lower === undefined ? -Infinity : inside(lower);
    const high = upper === undefined ? Infinity : -inside({ ...upper, value: -upper.value });
    return this.between(mapped, low, high);
  }

  /** Both ends inclusive. */
  private between(field: CompiledField, low: number, high: number): Bounds {
    if (low > high) return NONE;
    const path = pathOf(field);
    const bounds = {
      ...(low > -Infinity && { gte: low }),
      ...(high < Infinity && { lte: high }),
    };
    const isOpen = low === -Infinity && high === Infinity;
    if (isOpen) return this.ofField(field, exactly(exists(field)));
    const condition = low === high ? { equals: { [path]: low } } : { range: { [path]: bounds } };
    return this.ofField(field, exactly(condition));
  }

  private atPoint(field: CompiledField, operator: string, area: object, options: object = {}): Bounds {
    const condition = { [operator]: { [pathOf(field)]: { ...area }, ...options } };
    return this.ofField(field, exactly(condition));
  }

  private present(field: CompiledField): Bounds {
    return this.ofField(field, atMost(exists(field)));
  }

  /** The values of nested objects are tested together, so their conditions are necessary only. */
  private ofField(field: CompiledField, bounds: Bounds): Bounds {
    this.fields.add(field.ordinal);
    return field.nestedPath === undefined ? bounds : inexactly(bounds);
  }
}

function exists(field: CompiledField): LiveFilter {
  return { exists: { field: pathOf(field) } };
}

function inexactly({ necessary }: Bounds): Bounds {
  return atMost(necessary);
}

/** The smallest number within a lower bound. */
function inside({ value, inclusive }: { readonly value: number; readonly inclusive: boolean }): number {
  return inclusive ? value : nextDouble(value);
}
