/** One line of a rights list (SEC-33); `*` stands for every name that no other item has there. */
export interface RightsItem {
  readonly controller: string;
  readonly action: string;
  readonly index: string;
  readonly collection: string;
  readonly value: 'allowed' | 'conditional' | 'denied';
  /** Makes it a JSON object for the response. */
  readonly [key: string]: string;
}
