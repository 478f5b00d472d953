import type { DateFormat, DateParseOptions } from './DateFormat.js';
import { DatePattern } from './DatePattern.js';
import { NAMED_DATE_FORMATS } from './namedDateFormats.js';
import { parseOptionalTime } from './parseOptionalTime.js';
import { createTimeZone, UTC, type TimeZone } from './timeZone.js';

/** Default format of a date field. */
export const DEFAULT_DATE_FORMAT = 'strict_date_optional_time||epoch_millis';
const MAX_FORMATS = 20;
const MAX_DATE_LENGTH = 128;
/** The range of a `Date`; years beyond it are not dates here. */
const MAX_DATE_MS = 8.64e15;

/** One alternative of a format. */
interface Alternative {
  /** Milliseconds, or NaN. */
  readonly parse: (text: string, zone: TimeZone | undefined, roundUp: boolean) => number;
  readonly format: (ms: number, zone: TimeZone) => string;
  /** Elasticsearch assigns UTC to it; range queries use that zone except for parts that they round up. */
  readonly hasOwnZone?: boolean;
  /** Whether it counts from 1970. */
  readonly isEpoch?: boolean;
}

/**
 * Compiles a date format: names of Elasticsearch or patterns, joined by `||`.
 * @param toError creates the error to throw from a message
 */
export function compileDateFormat(text: string, toError: (message: string) => Error): DateFormat {
  const names = text.split('||');
  if (names.length > MAX_FORMATS) throw toError(`Date format has more than ${MAX_FORMATS} alternatives`);
  const alternatives = names.map((name) => {
    const alternative = compileAlternative(name.trim());
    if (alternative !== undefined) return alternative;
    throw toError(`Unknown date format "${name.slice(0, 60)}"; expected a name or a pattern such as yyyy-MM-dd`);
  });
  return new CompiledDateFormat(text, alternatives);
}

class CompiledDateFormat implements DateFormat {
  /** The zone used last: a request or field uses a single one. */
  private zone: TimeZone = UTC;
  private zoneText: string | undefined;

  constructor(
    readonly text: string,
    private readonly alternatives: readonly Alternative[],
  ) {}

  parse(text: string, options?: DateParseOptions): number | undefined {
    if (text.length > MAX_DATE_LENGTH) return undefined;
    const zone = this.zoneOf(options?.timeZone);
    const roundUp = options?.roundUp === true;
    const heedsOwnZone = options?.isRangeQuery === true && !roundUp;
    for (const alternative of this.alternatives) {
      const isUtc =
        (heedsOwnZone && alternative.hasOwnZone === true) ||
        (alternative.isEpoch === true && options?.isRangeQuery !== true);
      const ms = alternative.parse(text, isUtc ? undefined : zone, roundUp);
      if (ms >= -MAX_DATE_MS && ms <= MAX_DATE_MS) return ms;
    }
    return undefined;
  }

  format(ms: number, timeZone?: string): string {
    const zone = this.zoneOf(timeZone) ?? UTC;
    return this.alternatives[0]?.format(ms, zone) ?? String(ms);
  }

  private zoneOf(text: string | undefined): TimeZone | undefined {
    if (text === undefined) return undefined;
    if (text !== this.zoneText) {
      this.zone = createTimeZone(text) ?? UTC;
      this.zoneText = text;
    }
    return this.zone;
  }
}

function compileAlternative(name: string): Alternative | undefined {
  if (name === 'epoch_millis') return epoch(1);
  if (name === 'epoch_second') return epoch(1000);
  if (/^(strict_)?date_optional_time(_nanos)?$/.test(name) || name === 'iso8601') {
    return optionalTime(!name.startsWith('date'));
  }
  const isStrict = name.startsWith('strict_');
  const named = NAMED_DATE_FORMATS.get(isStrict ? name.slice('strict_'.length) : name);
  const isPadded = isStrict || named === undefined || name.startsWith('basic_');
  const pattern = DatePattern.compile(named ?? name, isPadded, name.endsWith('_fraction'));
  if (pattern === undefined || (isStrict && named === undefined)) return undefined;
  return {
    hasOwnZone: name === 'basic_date',
    parse: (text, zone, roundUp) => pattern.parse(text, zone, roundUp),
    format: (ms, zone) => pattern.format(ms, zone),
  };
}

function epoch(msPerUnit: number): Alternative {
  return {
    isEpoch: true,
    parse: (text, zone) => {
      if (!/^-?\d{1,18}(\.\d{0,9})?$/.test(text)) return Number.NaN;
      const ms = Math.floor(Number(text) * msPerUnit);
      // Elasticsearch's range query treats values without a zone as local times, including numbers.
      return zone === undefined || Math.abs(ms) > MAX_DATE_MS ? ms : zone.toUtc(ms);
    },
    format: (ms) => String(ms / msPerUnit),
  };
}

const LENIENT_PARTS = ['yyyy', 'yyyy-MM', 'yyyy-MM-dd', "yyyy-MM-dd'T'HH[:mm[:ss[.SSS]]][XXX]"] as const;

function optionalTime(isStrict: boolean): Alternative {
  const writer = DatePattern.compile("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
  const lenient = isStrict ? [] : LENIENT_PARTS.map((pattern) => DatePattern.compile(pattern, false));
  return {
    parse: (text, zone, roundUp) => {
      const strict = parseOptionalTime(text, zone, roundUp);
      if (isStrict || strict === strict) return strict;
      for (const pattern of lenient) {
        const ms = pattern?.parse(text, zone, roundUp) ?? Number.NaN;
        if (ms === ms) return ms;
      }
      return Number.NaN;
    },
    format: (ms, zone) => writer?.format(ms, zone) ?? '',
  };
}
