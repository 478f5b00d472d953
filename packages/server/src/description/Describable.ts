import type { ActionTable, ProtocolChannels } from '@millrace/kernel';

/** A protocol with persistent connections, and its configured address. */
export interface DescribedProtocol {
  readonly name: string;
  readonly port: number | null;
  readonly channels: ProtocolChannels;
}

/** Input of a description. */
export interface Describable {
  readonly actions: ActionTable;
  /** Configuration key `server.name`. */
  readonly serviceName: string;
  readonly version: string;
  readonly protocols: readonly DescribedProtocol[];
}
