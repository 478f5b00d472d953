import { describe, expect, it } from 'vitest';
import { ListValue } from './ListValue.js';

describe('ListValue', () => {
  it('agrees with an array whatever end it grows and shrinks at', () => {
    const list = new ListValue();
    const model: string[] = [];
    for (let step = 0; step < 5_000; step++) {
      const element = `e${step}`;
      switch ((step * 7919) % 11) {
        case 0:
        case 1:
        case 2:
          list.push(element);
          model.push(element);
          break;
        case 3:
        case 4:
        case 5:
          list.pushFirst(element);
          model.unshift(element);
          break;
        case 6:
        case 7:
          expect(list.takeLast()).toBe(model.pop());
          break;
        case 8:
        case 9:
          expect(list.takeFirst()).toBe(model.shift());
          break;
        default: {
          const at = step % (model.length + 1);
          list.insert(at, element);
          model.splice(at, 0, element);
        }
      }
      expect(list.size).toBe(model.length);
    }
    expect(list.slice(0, list.size - 1)).toEqual(model);
    expect(list.at(-1)).toBe(undefined);
    list.clear();
    expect([list.size, list.bytes, list.takeLast()]).toEqual([0, new ListValue().bytes, undefined]);
  });
});
