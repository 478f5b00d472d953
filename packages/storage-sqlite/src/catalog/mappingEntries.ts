import type { WriterEntry } from '../writer/WriterEntry.js';
import type { Catalog } from './Catalog.js';

/** The mappings that may not have reached the store, for a writer that replaces a dead one. */
export function mappingEntries(catalog: Catalog): WriterEntry[] {
  const entries: WriterEntry[] = [];
  for (const { number: collectionNumber, mapping, savedMappingVersion } of catalog.allCollections()) {
    if (mapping.version <= savedMappingVersion) continue;
    entries.push({
      type: 'setMapping',
      collectionNumber,
      mapping: mapping.toJson(),
      version: mapping.version,
    });
  }
  return entries;
}
