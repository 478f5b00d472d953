import type { CompiledField } from '@millrace/query';

/** The path of a field in the filters of the first stage. */
export function pathOf({ ordinal }: CompiledField): string {
  return String(ordinal);
}
