import type { Fields } from '../connection.js';
import { isFields } from './columns.js';

/** One consequence of a change of a mapping. */
export interface MappingStep {
  readonly kind: 'adds' | 'changes' | 'keeps';
  readonly words: string;
}

/** Members of a field that hold other fields. */
const NESTED = ['properties', 'fields'] as const;

/** What saving a mapping does to the present one: it is merged, so what it leaves out stays. */
export function planMapping(present: Fields, wanted: Fields): readonly MappingStep[] {
  return [...optionSteps('the collection', present, wanted), ...fieldSteps('', present, wanted)];
}

function fieldSteps(path: string, present: Fields, wanted: Fields): readonly MappingStep[] {
  return NESTED.flatMap((member) => {
    const [old, given] = [toFields(present[member]), toFields(wanted[member])];
    const kept = Object.keys(old).filter((name) => !(name in given));
    return [
      ...Object.entries(given).flatMap(([name, field]) => ofField(path + name, toFields(field), old[name])),
      ...kept.map((name) => step('keeps', `The field ${path}${name} stays: fields can’t be removed.`)),
    ];
  });
}

function ofField(path: string, field: Fields, old: unknown): readonly MappingStep[] {
  const below = fieldSteps(`${path}.`, toFields(old), field);
  if (isFields(old)) return [...optionSteps(path, old, field), ...below];
  const { type = 'object', ...options } = field;
  const more = Object.entries(options).filter(([name]) => !isNested(name));
  const having = more.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
  const words = `The field ${path} is added: ${String(type)}${having === '' ? '' : `, with ${having}`}.`;
  return [step('adds', words), ...below];
}

function optionSteps(owner: string, present: Fields, wanted: Fields): readonly MappingStep[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(present)].filter((name) => !isNested(name)));
  return [...names].flatMap((name) => {
    const [old, value] = [JSON.stringify(present[name]), JSON.stringify(wanted[name])];
    if (old === value) return [];
    if (value === undefined) return name === 'type' ? [] : [step('keeps', `${name} of ${owner} stays ${old}.`)];
    const words = old === undefined ? `is set to ${value}` : `changes from ${old} to ${value}`;
    return [step('changes', `${name} of ${owner} ${words}.`)];
  });
}

function isNested(name: string): boolean {
  return (NESTED as readonly string[]).includes(name);
}

function toFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function step(kind: MappingStep['kind'], words: string): MappingStep {
  return { kind, words };
}
