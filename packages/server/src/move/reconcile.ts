import { toCollectionKey, type CollectionName, type CopyableEngine, type StoredText } from '@millrace/kernel';
import { alignCatalog } from './alignCatalog.js';
import type { DocumentKey } from './WriteIntents.js';

/**
 * Gives an engine the catalog of another one, and the documents of some collections. Nothing may be written meanwhile.
 */
export async function reconcile(
  source: CopyableEngine,
  target: CopyableEngine,
  names: readonly CollectionName[],
  isOwn: (name: CollectionName) => boolean,
): Promise<void> {
  await alignCatalog(source, target, isOwn);
  for (const name of names) {
    if (!(await source.hasCollection(name))) continue;
    for await (const page of target.pages(name)) {
      const ids = page.map(({ id }) => id);
      await copyDifferent(target, name, ids, page, await source.readTexts(name, ids));
    }
    for await (const page of source.pages(name)) {
      const ids = page.map(({ id }) => id);
      await copyDifferent(target, name, ids, await target.readTexts(name, ids), page);
    }
  }
}

/** Makes documents of an engine equal to those of another one. */
export async function copyKeys(
  source: CopyableEngine,
  target: CopyableEngine,
  documents: readonly DocumentKey[],
): Promise<void> {
  const groups = new Map<string, { name: CollectionName; ids: Set<string> }>();
  for (const { index, collection, id } of documents) {
    const name = { index, collection };
    const group = groups.get(toCollectionKey(name)) ?? { name, ids: new Set() };
    groups.set(toCollectionKey(name), group);
    group.ids.add(id);
  }
  for (const { name, ids: some } of groups.values()) {
    const ids = [...some];
    const wanted = await source.readTexts(name, ids);
    await copyDifferent(target, name, ids, await target.readTexts(name, ids), wanted);
  }
}

async function copyDifferent(
  target: CopyableEngine,
  name: CollectionName,
  ids: readonly string[],
  present: readonly (StoredText | null)[],
  wanted: readonly (StoredText | null)[],
): Promise<void> {
  const copies = ids.flatMap((id, i) => {
    const [mine = null, document = null] = [present[i], wanted[i]];
    const isEqual = mine?.version === document?.version && mine?.json === document?.json;
    return isEqual ? [] : [{ ...name, id, document }];
  });
  await target.copy(copies);
}
