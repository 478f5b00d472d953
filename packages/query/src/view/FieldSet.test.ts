import type { JsonObject } from '@millrace/language';
import { describe, expect, it } from 'vitest';
import { compileMapping } from '../mapping/compileMapping.js';
import { parseMapping } from '../mapping/parseMapping.js';
import {
  complementOf,
  hiddenPaths,
  hidesName,
  intersectionOf,
  selectFields,
  toFieldSet,
  unionOf,
  type FieldRule,
} from './FieldSet.js';

const mapping = compileMapping(
  parseMapping({
    properties: {
      title: { type: 'text', fields: { raw: { type: 'keyword' } } },
      secret: { type: 'keyword', copy_to: ['all'] },
      all: { type: 'text' },
      a: { properties: { b: { type: 'keyword' }, c: { type: 'keyword' } } },
    },
  }),
);
const set = (rule: FieldRule) => toFieldSet(rule, mapping);
const select = (rule: FieldRule, source: JsonObject) => selectFields(source, set(rule));

describe('FieldSet', () => {
  it('contains names with everything below them, and prefixes', () => {
    const only = set({ only: ['title', 'a.*'] });
    const names = ['title', 'title.raw', 'titles', 'a', 'a.b', 'secret'];
    expect(names.map((name) => only.has(name))).toEqual([true, true, false, false, true, false]);
    const except = set({ except: ['title', 'a.*'] });
    expect(names.map((name) => except.has(name))).toEqual([false, false, true, true, false, true]);
  });

  it('hides fields that hidden fields are copied to', () => {
    expect(set({ except: ['secret'] }).has('all')).toBe(false);
    expect(set({ only: ['all', 'title'] }).has('all')).toBe(false);
    expect(set({ only: ['all', 'secret'] }).has('all')).toBe(true);
    expect(select({ except: ['secret'] }, { all: 'x', title: 'y' })).toEqual({ title: 'y' });
  });

  it('drops objects that are left empty, whether or not they had content', () => {
    const rule = { except: ['a.b', 'l.x'] };
    expect(select(rule, { a: { b: 1, c: 2 } })).toEqual({ a: { c: 2 } });
    for (const a of [{ b: 1 }, {}, [{ b: 1 }], [], [[{ b: 2 }]]]) expect(select(rule, { a })).toEqual({});
    expect(select(rule, { a: 5, l: [{ x: 1 }, { y: 2 }, 7] })).toEqual({ a: 5, l: [{ y: 2 }, 7] });
    expect(select({ only: ['a.b'] }, { a: 5, 'a.b': 1, z: {} })).toEqual({ 'a.b': 1 });
    const own = JSON.parse('{"__proto__": {"b": 1}, "a": {"c": 1}}') as JsonObject;
    expect(Object.keys(select(rule, own))).toEqual(['__proto__', 'a']);
  });

  it('combines sets', () => {
    const [left, right] = [set({ only: ['title', 'a.b'] }), set({ except: ['a', 'title'] })];
    const source = { title: 1, a: { b: 2, c: 3 }, secret: 4 };
    expect(selectFields(source, unionOf([left, right]))).toEqual({
      title: 1,
      a: { b: 2 },
      secret: 4,
    });
    expect(selectFields(source, intersectionOf([left, right]))).toEqual({});
    expect(selectFields(source, complementOf(left))).toEqual({ a: { c: 3 }, secret: 4 });
  });

  it('lists what is left out, without what is below it', () => {
    const source = { title: 1, a: [{ b: 2, c: 3 }, { b: 4 }, 5], secret: { x: { y: 4 } }, all: 'z' };
    const hidden = (rule: FieldRule) => hiddenPaths(source, set(rule));
    expect(hidden({ except: ['secret', 'a.b'] })).toEqual(['a.b', 'secret', 'all']);
    expect(hidden({ only: ['a.b', 'secret.x.y'] })).toEqual(['title', 'a.c', 'a', 'all']);
    expect(hidden({ except: [] })).toEqual([]);
    expect(hiddenPaths({ a: {} }, set({ only: ['a.b'] }))).toEqual(['a']);
  });

  it('hides a name if nothing below it is visible', () => {
    const hidden = (rule: FieldRule) =>
      ['a', 'a.b', 'title.raw', '_id', '_meta.author', 'nosuch'].map((name) => hidesName(set(rule), name, mapping));
    expect(hidden({ except: ['a.*'] })).toEqual([true, true, false, false, false, false]);
    expect(hidden({ except: ['a.b', 'title'] })).toEqual([false, true, true, false, false, false]);
    expect(hidden({ only: ['a.b'] })).toEqual([false, false, true, false, false, true]);
  });
});
