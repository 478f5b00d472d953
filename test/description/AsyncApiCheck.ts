import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject } from '@millrace/kernel';

/** Holds messages to the payloads that an AsyncAPI document gives them. */
export class AsyncApiCheck {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(document: JsonObject) {
    this.ajv.addSchema(document, 'asyncapi');
  }

  /** What of a message is not as described. @throws where no message has that name */
  problemsOf(name: string, payload: unknown): readonly string[] {
    let validate = this.compiled.get(name);
    if (validate === undefined) {
      const $ref = `asyncapi#/components/messages/${name}/payload`;
      validate = this.ajv.compile({ $ref });
      this.compiled.set(name, validate);
    }
    if (validate(payload)) return [];
    const shown = JSON.stringify(payload).slice(0, 300);
    return [`${name}: ${this.ajv.errorsText(validate.errors)} in ${shown}`];
  }
}
