/*
 * Encodes names of collections as Elasticsearch names, reversibly. Elasticsearch accepts only lower case, refuses
 * `\ / * ? " < > | , #`, `:` and blanks, and limits names to 255 bytes. Millrace's names use `a-z A-Z 0-9 - _ .` (and
 * `%` for the internal index), so `~`, which Elasticsearch accepts, is free as the escape character:
 *
 *   prefix ~ index ~. collection          the alias that all requests address
 *   prefix ~ index ~. collection ~~ n     the Elasticsearch index behind it; n grows with each truncate
 *   prefix ~~ catalog                     the catalog of indexes
 *
 * Inside a name `~x` is a capital X, `~0hh` one byte of UTF-8. The prefix contains no `~`, so names of different
 * prefixes never collide. The longest name (64 capitals, a prefix of 32) has 240 bytes.
 */
import { storageErrors, type CollectionName } from '@millrace/kernel';

const MAX_NAME_BYTES = 240;
const PLAIN = /^[a-z0-9\-_.]+$/;

/** Encodes one name in characters that Elasticsearch accepts. */
export function encodeName(name: string): string {
  if (PLAIN.test(name)) return name;
  let encoded = '';
  for (const character of name) {
    if (PLAIN.test(character)) encoded += character;
    else if (/[A-Z]/.test(character)) encoded += `~${character.toLowerCase()}`;
    else for (const byte of Buffer.from(character)) encoded += `~0${byte.toString(16).padStart(2, '0')}`;
  }
  return encoded;
}

/** The reverse of `encodeName`; undefined for strings that `encodeName` never returns. */
export function decodeName(encoded: string): string | undefined {
  if (!/^(?:[a-z0-9\-_.]|~[a-z]|~0[0-9a-f]{2})+$/.test(encoded)) return undefined;
  if (!encoded.includes('~')) return encoded;
  const capitalised = encoded.replace(/~([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const bytes = Buffer.from(
    capitalised.replace(/~0([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  return bytes.toString('utf8');
}

/** Naming scheme of one installation in Elasticsearch. */
export class ElasticsearchNames {
  /** Name of the catalog of indexes. */
  readonly catalog: string;
  private readonly physical: RegExp;

  /** @param prefix lower-case letters, digits and `-`, starting with a letter */
  constructor(private readonly prefix: string) {
    this.catalog = `${prefix}~~catalog`;
    this.physical = new RegExp(`${prefix}~([a-z0-9._~-]+?)~\\.([a-z0-9._~-]+?)(?:~~\\d+)?(?![a-z0-9._~-])`, 'g');
  }

  /** The alias of a collection. @throws storage.invalid_name if it would be too long */
  alias({ index, collection }: CollectionName): string {
    const alias = `${this.prefix}~${encodeName(index)}~.${encodeName(collection)}`;
    if (Buffer.byteLength(alias) <= MAX_NAME_BYTES) return alias;
    throw storageErrors.invalid_name({
      what: 'collection name',
      value: `${index}/${collection}`,
      expected: 'a name that fits into 240 bytes in Elasticsearch',
    });
  }

  /** The name of the Elasticsearch index of a generation, counted from 1. */
  generation(name: CollectionName, number: number): string {
    return `${this.alias(name)}~~${number}`;
  }

  /** The generation number in the name of an Elasticsearch index. */
  generationNumber(physical: string): number {
    return Number(/~~(\d+)$/.exec(physical)?.[1] ?? 0);
  }

  /** Wildcard that matches every collection of an index. */
  pattern(index: string): string {
    return `${this.prefix}~${encodeName(index)}~.*`;
  }

  /** The collection to which an alias or Elasticsearch index belongs. */
  decode(name: string): CollectionName | undefined {
    const start = `${this.prefix}~`;
    if (!name.startsWith(start)) return undefined;
    const [index, collection, ...rest] = name
      .slice(start.length)
      .replace(/~~\d+$/, '')
      .split('~.')
      .map(decodeName);
    if (index === undefined || collection === undefined || rest.length > 0) return undefined;
    return { index, collection };
  }

  /** Replaces Elasticsearch's names in a message by ours. */
  conceal(text: string): string {
    return text
      .replace(this.physical, (whole) => {
        const name = this.decode(whole);
        return name === undefined ? whole : `${name.index}/${name.collection}`;
      })
      .replaceAll(this.catalog, 'the catalog');
  }
}
