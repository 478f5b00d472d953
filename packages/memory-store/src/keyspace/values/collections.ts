import { IndexedTable } from './IndexedTable.js';

/** Estimated bytes of a row in addition to its string: map entry, row object, array slot. */
const ROW_BYTES = 88;

/** A set: members in order of insertion. */
export class SetValue {
  readonly type = 'set';
  readonly members = new IndexedTable<true>();
  bytes = 64;

  get size(): number {
    return this.members.size;
  }

  add(member: string): boolean {
    const isNew = this.members.set(member, true);
    if (isNew) this.bytes += ROW_BYTES + member.length;
    return isNew;
  }

  delete(member: string): boolean {
    const isThere = this.members.delete(member) !== undefined;
    if (isThere) this.bytes -= ROW_BYTES + member.length;
    return isThere;
  }
}

/** A hash: fields in order of insertion. */
export class HashValue {
  readonly type = 'hash';
  readonly fields = new IndexedTable<string>();
  bytes = 64;

  get size(): number {
    return this.fields.size;
  }

  get(field: string): string | undefined {
    return this.fields.get(field);
  }

  /** @returns true if the field is new */
  set(field: string, value: string): boolean {
    const old = this.fields.get(field);
    this.bytes += value.length - (old?.length ?? -(ROW_BYTES + 16 + field.length));
    return this.fields.set(field, value);
  }

  delete(field: string): boolean {
    const old = this.fields.delete(field);
    if (old === undefined) return false;
    this.bytes -= ROW_BYTES + 16 + field.length + old.length;
    return true;
  }
}
