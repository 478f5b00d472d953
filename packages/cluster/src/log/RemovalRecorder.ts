import { toCollectionKey, type ChangeOrigin, type CollectionName, type Cursor } from '@millrace/kernel';
import { parseCount } from '@millrace/query';
import { isOutage } from './isOutage.js';
import { DONE, INTENT, SILENT, WIPED } from './logMessages.js';
import type { WriteRecorderParts } from './WriteRecorder.js';

const EVERYTHING = parseCount({});

/** Records the removal of all documents of collections at once. */
export class RemovalRecorder {
  constructor(private readonly parts: WriteRecorderParts) {}

  /**
   * Makes a removal while no other node writes to the collections. The log passes on what it records.
   * @param origin null: silent
   * @returns '' if it was not recorded because Redis is unavailable
   */
  async remove(
    names: readonly CollectionName[],
    work: () => Promise<unknown>,
    origin: ChangeOrigin | null | undefined,
  ): Promise<Cursor | undefined> {
    const { echoes, isRecorded, send, intents, nodeId, turnWithinMs, holes, settled } = this.parts;
    const recorded = names.filter(isRecorded);
    const keys = recorded.map(toCollectionKey);
    if (keys.length === 0) {
      await holes.track(work());
      return undefined;
    }
    const inHole = async () => {
      await holes.write(keys, work);
      return '';
    };
    if (!echoes.isWorking) return inHole();
    const intent = send(INTENT, JSON.stringify(keys.map((key) => [key])), '');
    const complete = () => send(DONE, String(intent), '');
    const isBack = await echoes.back(intent);
    const turn = isBack ? await intents.turn(`${nodeId}:${intent}`, turnWithinMs) : 'late';
    if (turn === 'late') return inHole().finally(complete);
    // The others have closed the intent, because this node was silent.
    if (turn === 'closed') return this.remove(names, work, origin);
    let filled: readonly CollectionName[] = [];
    const end = async () => {
      const body = origin === null ? SILENT : '';
      for (const name of filled) send(WIPED, `${intent} ${toCollectionKey(name)}`, body);
      await echoes.back(complete());
    };
    try {
      filled = await this.withDocuments(recorded);
      await work();
    } catch (error) {
      // It may have been made, or be made later.
      if (isOutage(error)) void settled().then(end);
      else await end();
      throw error;
    }
    await end();
    return undefined;
  }

  private async withDocuments(names: readonly CollectionName[]): Promise<readonly CollectionName[]> {
    const { engine } = this.parts;
    const found: CollectionName[] = [];
    for (const { index, collection } of names) {
      if (!(await engine.hasCollection({ index, collection }))) continue;
      // A count sees what searches see.
      await engine.refresh(index);
      const count = await engine.count({ index, collection }, EVERYTHING);
      if (count > 0) found.push({ index, collection });
    }
    return found;
  }
}
