import type { CompiledField } from '@millrace/query';
import { NumberField } from './NumberField.js';
import { PointField } from './PointField.js';
import { ShapeField } from './ShapeField.js';
import { TermField } from './TermField.js';
import { TextField } from './TextField.js';

/** The in-memory index of one field. Its `kind` depends on the field's type only. */
export type FieldIndex = NumberField | TermField | TextField | PointField | ShapeField;

/** An empty index for the field; undefined if its values are never searched. */
export function createFieldIndex(field: CompiledField): FieldIndex | undefined {
  switch (field.type) {
    case 'text':
      return new TextField(field);
    case 'keyword':
    case 'ip':
      return new TermField(field);
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'float':
    case 'double':
    case 'half_float':
    case 'scaled_float':
    case 'boolean':
    case 'date':
      return new NumberField(field);
    case 'geo_point':
      return new PointField(field);
    case 'geo_shape':
      return new ShapeField(field);
    case 'binary':
      return field.isStored ? new NumberField(field) : undefined;
  }
}
