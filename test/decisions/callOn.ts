import type { JsonObject, JsonValue } from '@millrace/kernel';
import { expect } from 'vitest';
import type { Call } from './TestServer.js';

/** Short ways to call actions by `controller.action`. */
export interface NamedCalls {
  /** Status, and of a failure its id: `404 document.not_found`. */
  outcome(name: string, fields?: JsonObject): Promise<string>;
  /** The result of a call that must succeed. */
  result(name: string, fields?: JsonObject): Promise<JsonObject>;
  /** The whole response. */
  response(name: string, fields?: JsonObject): ReturnType<Call>;
}

export function callOn(call: Call, common: () => JsonObject = () => ({})): NamedCalls {
  const response: NamedCalls['response'] = (name, fields = {}) => {
    const [controller = '', action = ''] = name.split('.');
    return call({ ...common(), controller, action, ...fields });
  };
  return {
    response,
    outcome: async (name, fields) => {
      const { status, error } = await response(name, fields);
      return error === null ? `${status}` : `${status} ${error.id}`;
    },
    result: async (name, fields) => {
      const { status, error, result } = await response(name, fields);
      expect([name, status, error]).toEqual([name, 200, null]);
      return result as JsonObject;
    },
  };
}

/** A list in a result. */
export function listIn(result: JsonValue | undefined, name: string): readonly JsonObject[] {
  return (result as Readonly<Record<string, readonly JsonObject[]>>)[name] ?? [];
}
