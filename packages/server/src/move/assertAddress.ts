import { coreErrors, withoutLogins } from '@millrace/kernel';

/** @throws core.move_refused */
export function assertAddress(node: string, isGiven: boolean): void {
  if (node === '')
    throw coreErrors.move_refused({
      reason: 'No Elasticsearch is named: pass its address, or set storage.elasticsearch.node',
    });
  if (!node.split(',').every((each) => /^https?:\/\/[^/]/.test(each.trim())))
    throw coreErrors.move_refused({
      reason: 'node: expected an address such as http://127.0.0.1:9200',
    });
  if (isGiven && withoutLogins(node) !== node)
    throw coreErrors.move_refused({
      reason:
        'node: expected an address without a password, which belongs into storage.elasticsearch.password',
    });
}
