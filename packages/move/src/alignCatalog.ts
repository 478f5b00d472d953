import type { CollectionName, StorageEngine } from '@millrace/kernel';
import { toMappingBody, type Mapping } from '@millrace/query';

/**
 * Gives an engine the indexes, index settings, collections and mappings of another one, and removes others.
 * @param isOwn collections to leave alone
 * @returns the collections
 * @throws storage.invalid_mapping for a mapping that the target doesn't support, storage.index_not_found,
 *   storage.collection_not_found for those that are removed meanwhile
 */
export async function alignCatalog(
  source: StorageEngine,
  target: StorageEngine,
  isOwn: (name: CollectionName) => boolean,
): Promise<readonly CollectionName[]> {
  const wanted = await source.listIndexes();
  const present = await target.listIndexes();
  const names: CollectionName[] = [];
  for (const index of present) if (!wanted.includes(index)) await target.deleteIndex(index);
  for (const index of wanted) {
    if (!present.includes(index)) await target.createIndex(index);
    const settings = await source.getIndexSettings(index);
    const { autoRefresh } = await target.getIndexSettings(index);
    if (settings.autoRefresh !== autoRefresh) await target.setIndexSettings(index, settings);
    const collections = await collectionsOf(source, index, isOwn);
    const known = new Set(collections.map(({ collection }) => collection));
    for (const name of await collectionsOf(target, index, isOwn))
      if (!known.has(name.collection)) await target.deleteCollection(name);
    for (const name of collections) await alignMapping(target, name, await source.getMapping(name));
    names.push(...collections);
  }
  return names;
}

/** Creates a collection, or updates its mapping. @throws storage.invalid_mapping */
export async function alignMapping(target: StorageEngine, name: CollectionName, mapping: Mapping): Promise<void> {
  if (await target.createCollection(name, mapping)) return;
  if (mappingText(mapping) === mappingText(await target.getMapping(name))) return;
  await target.updateMapping(name, mapping);
}

/** Equal for equal mappings of one engine. */
export function mappingText(mapping: Mapping): string {
  return JSON.stringify(toMappingBody(mapping));
}

async function collectionsOf(
  engine: StorageEngine,
  index: string,
  isOwn: (name: CollectionName) => boolean,
): Promise<readonly CollectionName[]> {
  const names = (await engine.listCollections(index)).map((collection) => ({ index, collection }));
  return names.filter((name) => !isOwn(name));
}
