import { isJsonObject, showValue, type JsonObject, type JsonValue } from '@millrace/kernel';
import { DOCUMENT_CONTROLLER, OUTER_ACTIONS, READING_ACTIONS, WRITING_ACTIONS } from './DOCUMENT_ACTIONS.js';
import { parseCondition } from './parseCondition.js';
import { DOCUMENT_RULE_KEYS, parseDocumentRule } from './parseDocumentRule.js';
import type { Right } from './Right.js';

/** The place of a right in a role. */
interface RightPlace {
  readonly path: string;
  readonly controller: string;
  readonly action: string;
  /** The right on documents that the controller gives to its actions. */
  readonly documents: JsonObject | undefined;
}

/** The short form of a controller: the right on documents of each of its actions that says `true`. */
interface ControllerDefaults {
  readonly documents: JsonObject | undefined;
  /** The keys that it has. */
  readonly known: readonly string[];
}

/** Reads the rights of a controller. */
export class ControllerReader {
  constructor(
    private readonly refuse: (message: string) => Error,
    private readonly protectedProperties: readonly string[],
  ) {}

  readDefaults(entry: JsonObject, path: string, controller: string): ControllerDefaults {
    if (controller !== DOCUMENT_CONTROLLER) return { documents: undefined, known: [] };
    const given = Object.entries(entry).filter(([key]) => DOCUMENT_RULE_KEYS.includes(key));
    const documents = given.length === 0 ? undefined : Object.fromEntries(given);
    // Checked even if no action says true.
    if (documents !== undefined) this.parse(documents, path);
    return { documents, known: DOCUMENT_RULE_KEYS };
  }

  readRight(value: JsonValue, place: RightPlace): Right {
    const { path, action, documents } = place;
    if (typeof value === 'boolean') {
      if (!value || documents === undefined || OUTER_ACTIONS.has(action)) return value;
      return this.readDocuments(documents, place, true);
    }
    if (!isJsonObject(value)) {
      const expected = 'true, false, {when: filter} or {documents, check, fields}';
      throw this.refuse(`${path}: expected ${expected}, got ${showValue(value)}`);
    }
    const isOfDocuments = DOCUMENT_RULE_KEYS.some((key) => Object.hasOwn(value, key));
    return isOfDocuments ? this.readDocuments(value, place, false) : parseCondition(value, path, this.refuse);
  }

  /** @param isDefault true for the right of the controller, whose `check` concerns only actions that write */
  private readDocuments(body: JsonObject, place: RightPlace, isDefault: boolean): Right {
    const { path, controller, action } = place;
    if (controller !== DOCUMENT_CONTROLLER) {
      throw this.refuse(
        `${path}: a right on documents is for actions of the controller document, got ${controller.slice(0, 100)}`,
      );
    }
    if (OUTER_ACTIONS.has(action)) {
      throw this.refuse(
        `${path}: expected true or false: the documents of ${action} are judged by the rights of the actions on single documents`,
      );
    }
    const isReading = READING_ACTIONS.has(action);
    if (!isReading && !WRITING_ACTIONS.has(action) && action !== '*') {
      throw this.refuse(`${path}: a right on documents is not supported for the action ${action.slice(0, 100)}`);
    }
    if (isReading && !isDefault && Object.hasOwn(body, 'check')) {
      throw this.refuse(`${path}.check: only actions that write have a check`);
    }
    return this.parse(body, path);
  }

  private parse(body: JsonObject, path: string) {
    const { refuse, protectedProperties } = this;
    return parseDocumentRule(body, { path, refuse, protectedProperties });
  }
}
