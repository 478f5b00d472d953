import { describe, expect, it } from 'vitest';
import { schema } from '@millrace/kernel';
import { SchemaCatalog } from './SchemaCatalog.js';

const { named, object, list, integer, text } = schema;

describe('SchemaCatalog', () => {
  it('shows a titled schema once, wherever it is used', () => {
    const catalog = new SchemaCatalog();
    const price = named('Price', object({ cents: integer() }));
    expect(catalog.place(price)).toEqual({ $ref: '#/components/schemas/Price' });
    expect(catalog.place(object({ prices: list(price) }, { first: { anyOf: [price] } }))).toEqual({
      type: 'object',
      required: ['prices'],
      properties: {
        prices: { type: 'array', items: { $ref: '#/components/schemas/Price' } },
        first: { anyOf: [{ $ref: '#/components/schemas/Price' }] },
      },
    });
    expect(catalog.schemas).toEqual({ Price: price });
  });

  it('keeps two schemas of one title apart, and equal ones together', () => {
    const catalog = new SchemaCatalog();
    catalog.place(named('Price', integer()));
    expect(catalog.place(named('Price', text))).toEqual({ $ref: '#/components/schemas/Price2' });
    expect(catalog.place(named('Price', integer()))).toEqual({
      $ref: '#/components/schemas/Price',
    });
    expect(Object.keys(catalog.schemas)).toEqual(['Price', 'Price2']);
  });

  it('refers from one titled schema to another', () => {
    const catalog = new SchemaCatalog();
    catalog.place(named('Basket', list(named('Price', integer()))));
    expect(catalog.schemas['Basket']).toMatchObject({
      items: { $ref: '#/components/schemas/Price' },
    });
  });

  it('leaves data alone that look like schemas, and members called like keywords', () => {
    const catalog = new SchemaCatalog();
    const odd = { enum: [{ title: 'Price' }], properties: { items: text, title: text } };
    expect(catalog.place(odd)).toEqual(odd);
    expect(catalog.schemas).toEqual({});
  });

  it('says of an object without known members that it may have any', () => {
    const catalog = new SchemaCatalog();
    const any = { type: 'object', additionalProperties: true };
    expect(catalog.place(object({ content: { type: 'object' } }))).toMatchObject({
      properties: { content: any },
    });
    const shape = object({}, { size: integer() });
    expect(catalog.place(shape)).toEqual(shape);
  });

  it('takes no title for a name that is none', () => {
    const catalog = new SchemaCatalog();
    const plain = { title: 'the price of it', type: 'integer' };
    expect(catalog.place(plain)).toEqual(plain);
  });
});
