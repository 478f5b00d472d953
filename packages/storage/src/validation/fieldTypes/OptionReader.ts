import { isJsonObject, type JsonValue, type JsonObject } from '@millrace/kernel';
import { own } from '@millrace/language';

/** The check of one field's values. */
export interface FieldType {
  /** @returns the message if the value (never null, except for `anything`) is invalid */
  check(value: JsonValue, nowMs: number): string | undefined;
  /** Accepts null elements of an array: `anything` only. */
  readonly takesNull?: true;
  /** May have children; `isStrict` if the type determines it. */
  readonly level?: { readonly isStrict: boolean | undefined };
}

const SHOWN_LENGTH = 60;

/** A user-supplied name for a message: quoted and truncated. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name);
}

/** Reads the `typeOptions` of one field; reports every fault and continues. */
export class OptionReader {
  private readonly read = new Set<string>();

  constructor(
    private readonly options: JsonObject,
    private readonly report: (reason: string) => void,
  ) {}

  /** Reports a fault of the options. */
  fault(reason: string): void {
    this.report(`typeOptions.${reason}`);
  }

  boolean(name: string): boolean | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'boolean') return value;
    this.fault(`${name} must be true or false`);
    return undefined;
  }

  /** An object with some of these keys and no other. */
  object(name: string, keys: readonly string[]): JsonObject | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) {
      this.fault(`${name} must be an object with ${keys.join(' and ')}`);
      return undefined;
    }
    for (const key of Object.keys(value)) {
      if (!keys.includes(key)) this.fault(`${name} has an unknown key ${quoteName(key)}`);
    }
    return value;
  }

  /** Bounds `{min?, max?}` of numbers. @param isAllowed which numbers are valid */
  bounds(
    name: string,
    isAllowed: (bound: number) => boolean,
    expected: string,
  ): { readonly min: number; readonly max: number } {
    const given = this.object(name, ['min', 'max']);
    const bound = (key: string, otherwise: number) => {
      const value = given && own(given, key);
      if (value === undefined) return otherwise;
      if (typeof value === 'number' && isAllowed(value)) return value;
      this.fault(`${name}.${key} must be ${expected}`);
      return otherwise;
    };
    const min = bound('min', -Infinity);
    const max = bound('max', Infinity);
    if (min > max) this.fault(`${name}: min is above max`);
    return { min, max };
  }

  /** A non-empty list of strings. */
  texts(name: string, isAllowed: (text: string) => boolean, expected: string): readonly string[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
    const texts = items.filter((item): item is string => typeof item === 'string');
    if (items.length === 0 || texts.length < items.length) {
      this.fault(`${name} must be a non-empty list of ${expected}`);
      return undefined;
    }
    const unknown = texts.find((text) => !isAllowed(text));
    if (unknown === undefined) return texts;
    this.fault(`${name} holds ${quoteName(unknown)}, expected ${expected}`);
    return undefined;
  }

  /** To be called after all options of the type have been read. */
  refuseOthers(type: string): void {
    for (const name of Object.keys(this.options)) {
      if (!this.read.has(name)) this.report(`type "${type}" has no option ${quoteName(name)}`);
    }
  }

  private take(name: string): JsonValue | undefined {
    this.read.add(name);
    return own(this.options, name);
  }
}
