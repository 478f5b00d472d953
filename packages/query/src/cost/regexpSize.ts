/*
 * Estimates the size of a regular expression's automaton before it is simplified: `(.{1,500}){1,500}` has 250,000
 * states. One pass over the pattern; malformed parts count as characters, as the engine itself refuses them.
 */

/** The part that a following repetition would repeat, within each open group. */
interface Level {
  size: number;
  last: number;
}

const REPETITION = /^\{(\d+)(?:(,)(\d*))?\}/;
const INTERVAL_SIZE = 20;

/** @returns an estimate of the states */
export function regexpSize(pattern: string): number {
  const levels: Level[] = [];
  let level: Level = { size: 0, last: 0 };
  const add = (size: number): void => {
    level.size += size;
    level.last = size;
  };
  const repeat = (count: number): void => {
    level.size += level.last * (count - 1);
    level.last *= count;
  };
  let at = 0;
  while (at < pattern.length) {
    const character = pattern.charAt(at);
    const [repetition, least, open, most] = REPETITION.exec(pattern.slice(at, at + 40)) ?? [];
    if (repetition !== undefined) {
      const highest = most === undefined || most === '' ? Number(least) : Number(most);
      repeat(Math.max(1, open !== undefined && most === '' ? highest + 1 : highest));
      at += repetition.length;
      continue;
    }
    if (character === '(') {
      levels.push(level);
      level = { size: 0, last: 0 };
    } else if (character === ')') {
      const inner = level.size;
      level = levels.pop() ?? { size: 0, last: 0 };
      add(inner);
    } else if (character === '+') repeat(2);
    else if (character === '<') add(INTERVAL_SIZE);
    else if (!'*?|&~'.includes(character)) add(1);
    at = character === '[' ? afterClass(pattern, at) : at + (character === '\\' ? 2 : 1);
  }
  return levels.reduce((sum, { size }) => sum + size, level.size);
}

function afterClass(pattern: string, start: number): number {
  let at = start + 1;
  while (at < pattern.length && pattern.charAt(at) !== ']') {
    at += pattern.charAt(at) === '\\' ? 2 : 1;
  }
  return at + 1;
}
