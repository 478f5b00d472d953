/** One entry of a rights list (SEC-33); `*` stands for every name without an item in that position. */
export interface RightsItem {
  readonly controller: string;
  readonly action: string;
  readonly index: string;
  readonly collection: string;
  readonly value: 'allowed' | 'conditional' | 'denied';
  /** Makes the item a JSON object for the response. */
  readonly [key: string]: string;
}
