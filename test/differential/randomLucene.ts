/* Texts for `query_string` and `simple_query_string`: assembled from their syntax, with faults of syntax at times. */
import type { JsonValue } from '@millrace/kernel';
import type { RequestContext } from './RequestContext.js';
import { randomWord } from './randomValue.js';

/** A text in Lucene's query syntax. */
export function randomLucene(context: RequestContext): string {
  const { chance } = context;
  if (chance.percent(context.oddness)) {
    return chance.of([
      '(mill',
      'mill)',
      '"mill',
      'AND',
      'mill AND',
      '[1 TO',
      'a:b:c',
      '/ab',
      '',
      '   ',
      '*',
      '*:*',
      'text:',
      '~',
      '^2',
      'mill^',
      'NOT',
      '&&',
      'a\\',
      '()',
      '-',
      '+ mill',
      'mill~x',
      'text:(',
      '\\',
    ]);
  }
  return clauses(context, 1);
}

function clauses(context: RequestContext, depth: number): string {
  const { chance } = context;
  const joined = () => chance.of([' ', ' ', ' ', ' AND ', ' OR ', ' && ', ' || ', ' AND NOT ']);
  return chance
    .list(
      chance.between(1, 4),
      (position) => (position === 0 ? '' : joined()) + clause(context, depth),
    )
    .join('');
}

function clause(context: RequestContext, depth: number): string {
  const { chance } = context;
  const sign = chance.percent(20) ? chance.of(['+', '-', '!', 'NOT ']) : '';
  const field = chance.percent(30) ? `${fieldName(context)}:` : '';
  const boost = chance.percent(8) ? chance.of(['^2', '^0.5']) : '';
  if (depth > 0 && chance.percent(15))
    return `${sign}${field}(${clauses(context, depth - 1)})${boost}`;
  return `${sign}${field}${atom(context)}${boost}`;
}

function fieldName(context: RequestContext): string {
  const { chance } = context;
  if (chance.percent(6)) return chance.of(['text\\*', 'key\\*', 'nowhere']);
  return context.field('text', 'keyword', 'integer', 'long', 'boolean', 'double').name;
}

function atom(context: RequestContext): string {
  const { chance } = context;
  const word = () => escape(randomWord(chance));
  switch (chance.below(12)) {
    case 0:
      return `"${word()} ${word()}"${chance.of(['', '', '~2', '~10'])}`;
    case 1:
      return `${word().slice(0, 2)}*`;
    case 2:
      return chance.of(['m?ll', '*ll', 'ri*er', '*', '?a*']);
    case 3:
      return `${word()}~${chance.of(['', '1', '2', '0'])}`;
    case 4:
      return chance.of(['/mi.*/', '/r[a-z]+/', '/(mill|weir)/']);
    case 5: {
      const field = context.field('integer', 'long', 'double', 'keyword', 'date');
      const [low, high] = [bound(context.value(field)), bound(context.value(field))];
      return chance.of([
        `[${low} TO ${high}]`,
        `{${low} TO ${high}}`,
        `[${low} TO *]`,
        `{* TO ${high}]`,
        `>=${low}`,
        `<${high}`,
      ]);
    }
    case 6:
      return chance.of([
        '_exists_:text',
        '_exists_:keyword',
        `_exists_:${context.field().name}`,
        '7',
        '1.5',
        'true',
      ]);
    default:
      return word();
  }
}

function bound(value: JsonValue): string {
  const text = typeof value === 'object' ? 'a' : String(value);
  return text === '' || /[\s"]/.test(text) ? `"${text.replaceAll('"', '')}"` : escape(text);
}

function escape(word: string): string {
  return word.replace(/[+\-=&|><!(){}[\]^"~*?:\\/]/g, (sign) =>
    sign === '<' || sign === '>' ? '' : `\\${sign}`,
  );
}

/** A text of the simple syntax, which knows no faults. */
export function randomSimple(context: RequestContext): string {
  const { chance } = context;
  return chance
    .list(chance.between(1, 5), () => {
      const word = randomWord(chance);
      return chance.of([
        word, word, word, `+${word}`, `-${word}`, `${word}*`, `"${word} ${randomWord(chance)}"`, `"${word} mill"~2`, `${word}~1`, '|', '+', `(${word} | mill)`, `${word.slice(0, 2)}*`, '(', ')', '"', '*', `\\+${word}`, '~', '-',
      ]);
    })
    .join(chance.of([' ', ' ', ' | ', ' + ']));
} // prettier-ignore
