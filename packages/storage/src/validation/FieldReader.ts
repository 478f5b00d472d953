import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { own } from '@millrace/language';
import { checkField } from './findFaults.js';
import { quoteName, OptionReader, type FieldType } from './fieldTypes/OptionReader.js';
import type { SpecifiedField } from './Specification.js';
import { FIELD_TYPES } from './fieldTypes/FIELD_TYPES.js';

const KEYS = ['type', 'mandatory', 'defaultValue', 'multivalued', 'typeOptions', 'description'];
const COUNT_KEYS = ['value', 'minCount', 'maxCount'];
const NO_TYPE: FieldType = { check: () => undefined };

/** A field whose children aren't read yet. */
export interface ReadField extends Omit<SpecifiedField, 'level'> {
  /** A fault of the field was reported. */
  readonly isFaulty: boolean;
}

/** Reads the specification of one field. */
export class FieldReader {
  private isFaulty = false;

  constructor(
    private readonly reportFault: (reason: string) => void,
    private readonly nowMs: number,
  ) {}

  read(path: readonly string[], value: JsonValue): ReadField {
    const given = isJsonObject(value) ? value : {};
    if (!isJsonObject(value)) this.report('a field specification must be an object');
    for (const key of Object.keys(given)) {
      if (!KEYS.includes(key)) this.report(`unknown key ${quoteName(key)}`);
    }
    const type = isJsonObject(value) ? this.readType(given) : NO_TYPE;
    const isMandatory = this.readMandatory(given);
    const counts = this.readCounts(own(given, 'multivalued'));
    const description = own(given, 'description');
    if (description !== undefined && typeof description !== 'string') {
      this.report('description must be a string');
    }
    const defaultValue = this.readDefault(own(given, 'defaultValue'), { type, counts });
    return { path, type, isMandatory, counts, defaultValue, isFaulty: this.isFaulty };
  }

  private report(reason: string): void {
    this.isFaulty = true;
    this.reportFault(reason);
  }

  private readType(given: JsonObject): FieldType {
    const name = own(given, 'type');
    const make = typeof name === 'string' ? FIELD_TYPES.get(name) : undefined;
    if (typeof name !== 'string' || make === undefined) {
      const known = [...FIELD_TYPES.keys()].join(', ');
      this.report(name === undefined ? 'type is missing' : `unknown type, expected one of ${known}`);
      return NO_TYPE;
    }
    const options = own(given, 'typeOptions') ?? {};
    if (!isJsonObject(options) || own(given, 'typeOptions') === null) {
      this.report('typeOptions must be an object');
    }
    const reader = new OptionReader(isJsonObject(options) ? options : {}, (reason) => this.report(reason));
    const type = make(reader);
    reader.refuseOthers(name);
    return type;
  }

  private readMandatory(given: JsonObject): boolean {
    const mandatory = own(given, 'mandatory');
    if (mandatory !== undefined && typeof mandatory !== 'boolean') {
      this.report('mandatory must be true or false');
    }
    return mandatory === true;
  }

  private readCounts(value: JsonValue | undefined): SpecifiedField['counts'] {
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) {
      this.report('multivalued must be an object {value, minCount?, maxCount?}');
      return undefined;
    }
    for (const key of Object.keys(value)) {
      if (!COUNT_KEYS.includes(key)) this.report(`multivalued has an unknown key ${quoteName(key)}`);
    }
    const isMany = own(value, 'value');
    if (typeof isMany !== 'boolean') this.report('multivalued.value must be true or false');
    const min = this.readCount(value, 'minCount', isMany);
    const max = this.readCount(value, 'maxCount', isMany);
    if (min !== undefined && max !== undefined && min > max) {
      this.report('multivalued: minCount is above maxCount');
    }
    return isMany === true ? { min: min ?? 0, max: max ?? Infinity } : undefined;
  }

  private readCount(multivalued: JsonObject, key: string, isMany: JsonValue | undefined): number | undefined {
    const count = own(multivalued, key);
    if (count === undefined) return undefined;
    if (isMany === false) this.report(`multivalued.${key} needs multivalued.value true`);
    if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
    this.report(`multivalued.${key} must be an integer of at least 0`);
    return undefined;
  }

  private readDefault(value: JsonValue | undefined, field: Parameters<typeof checkField>[0]): JsonValue | undefined {
    if (value === undefined || this.isFaulty) return value;
    const message = value === null ? 'null is no value' : checkField(field, value, this.nowMs);
    if (message !== undefined) this.report(`defaultValue: ${message}`);
    return value;
  }
}
