/* Strings for `query_string` and `simple_query_string`. */
import type { RequestContext } from './RequestContext.js';
import { randomDate, randomWord } from './randomValue.js';

/** A string in Lucene's query syntax. */
export function randomLucene(context: RequestContext, depth = 1): string {
  const { chance } = context;
  const joined = () => chance.of([' ', ' ', ' ', ' AND ', ' OR ']);
  const clauses = chance.list(
    chance.between(1, 3),
    (position) => (position === 0 ? '' : joined()) + clause(context, depth),
  );
  return clauses.join('');
}

function clause(context: RequestContext, depth: number): string {
  const { chance } = context;
  const sign = chance.percent(15) ? chance.of(['+', '-', 'NOT ']) : '';
  const boost = chance.percent(8) ? chance.of(['^2', '^0.5']) : '';
  if (depth > 0 && chance.percent(15)) return `${sign}(${randomLucene(context, depth - 1)})${boost}`;
  return `${sign}${chance.percent(30) ? fieldClause(context) : atom(context)}${boost}`;
}

function fieldClause(context: RequestContext): string {
  const { chance } = context;
  switch (chance.below(4)) {
    case 0: {
      const [low, high] = [chance.between(-4, 4), chance.between(5, 12)];
      const { name } = context.field('integer', 'long', 'double');
      return `${name}:${chance.of([`[${low} TO ${high}]`, `{${low} TO ${high}}`, `[${low} TO *]`, `>=${high}`])}`;
    }
    case 1: {
      const { name, format } = context.field('date');
      return `${name}:["${randomDate(chance, format)}" TO *]`;
    }
    case 2:
      return `_exists_:${context.field().name}`;
    default:
      return `${context.field('text', 'keyword').name}:${atom(context)}`;
  }
}

function atom(context: RequestContext): string {
  const { chance } = context;
  const word = () => escape(randomWord(chance));
  switch (chance.below(10)) {
    case 0:
    case 1:
      return `"${word()} ${word()}"${chance.of(['', '', '~2'])}`;
    case 2:
      return `${word().slice(0, 2)}*`;
    case 3:
      return chance.of(['m?ll', '*ll', 'ri*er']);
    case 4:
      return `${word()}~${chance.of(['', '1'])}`;
    case 5:
      return chance.of(['/mi.*/', '/r[a-z]+/']);
    default:
      return word();
  }
}

function escape(word: string): string {
  return word.replace(/[+\-!(){}[\]^"~*?:\\/]/g, (sign) => `\\${sign}`);
}

/** A string of the simple syntax. */
export function randomSimple({ chance }: RequestContext): string {
  const part = () => {
    const word = randomWord(chance);
    return chance.of([
      word,
      word,
      word,
      `+${word}`,
      `-${word}`,
      `${word}*`,
      `"${word} ${randomWord(chance)}"`,
      `(${word} | mill)`,
    ]);
  };
  return chance.list(chance.between(1, 4), part).join(chance.of([' ', ' ', ' | ', ' + ']));
}
