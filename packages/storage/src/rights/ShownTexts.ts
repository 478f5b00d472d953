import {
  EventLoopPacer,
  isThenable,
  MAX_RESULT_BYTES,
  queryErrors,
  STORAGE_ENGINE,
  type CollectionName,
  type MaybePromise,
  type StorageEngine,
  type StoredText,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** So few documents never exceed the largest result. */
export const FEW_DOCUMENTS = 50;

/** What a caller may see of a document, given its position in the request; null: nothing. */
export type View = (text: StoredText, at: number) => MaybePromise<StoredText | null>;

/** Reads several documents of a collection as one caller may see them. */
@scoped(Scope.ContainerScoped)
export class ShownTexts {
  constructor(@inject(STORAGE_ENGINE) private readonly engine: StorageEngine) {}

  /**
   * Yields to the event loop.
   * @param view null: everything is shown
   * @returns in the order of `ids`; null for documents that are absent or not seen
   * @throws query.result_too_large (400). Only what the caller sees is counted: the limit would tell of hidden documents.
   */
  async read(name: CollectionName, ids: readonly string[], view: View | null): Promise<readonly (StoredText | null)[]> {
    const pacer = new EventLoopPacer(4);
    const isWhole = view === null && this.engine.readText === undefined;
    const atOnce = isWhole ? ids.length : FEW_DOCUMENTS;
    const shown: (StoredText | null)[] = [];
    let bytes = 0;
    while (shown.length < ids.length) {
      for (const text of await this.texts(name, ids.slice(shown.length, shown.length + atOnce))) {
        const seen = view === null || text === null ? text : view(text, shown.length);
        const own = isThenable(seen) ? await seen : seen;
        bytes += own === null ? 0 : Buffer.byteLength(own.json);
        if (bytes > MAX_RESULT_BYTES) {
          throw queryErrors.result_too_large({ maxBytes: MAX_RESULT_BYTES });
        }
        shown.push(own);
        if (pacer.isDue()) await pacer.rest();
      }
    }
    return shown;
  }

  private async texts(name: CollectionName, ids: readonly string[]): Promise<readonly (StoredText | null)[]> {
    const { engine } = this;
    if (engine.readText !== undefined) {
      const texts: (StoredText | null)[] = [];
      for (const id of ids) {
        const read = engine.readText(name, id);
        texts.push(isThenable(read) ? await read : read);
      }
      return texts;
    }
    const found = await engine.readMany(name, ids, { maxBytes: MAX_RESULT_BYTES });
    return found.map((each) => each && { ...each, json: JSON.stringify(each.source) });
  }
}
