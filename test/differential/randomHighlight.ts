import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { RequestContext } from './RequestContext.js';

export function randomHighlight(context: RequestContext): JsonObject {
  const { chance } = context;
  const names = chance.list(chance.between(1, 3), () =>
    chance.percent(15) ? chance.of(['*', 'text*', 'key*']) : context.field('text', 'keyword').name,
  );
  return {
    number_of_fragments: chance.percent(70) ? 0 : chance.of([1, 3]),
    fields: Object.fromEntries(names.map((name) => [name, {}])),
    ...chance.of<JsonObject>([{}, {}, { pre_tags: '<b>', post_tags: ['</b>'] }]),
    ...chance.options<JsonValue>({
      require_field_match: [20, () => chance.percent(50)],
      encoder: [15, () => 'html'],
      order: [10, () => 'score'],
      highlight_query: [10, () => ({ match: { text: 'mill river' } })],
    }),
  };
}
