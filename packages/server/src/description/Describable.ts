import type { ActionTable, ProtocolChannels } from '@millrace/kernel';

/** A protocol with a lasting connection, and where it listens by configuration. */
export interface DescribedProtocol {
  readonly name: string;
  readonly port: number | null;
  readonly channels: ProtocolChannels;
}

/** What a server is described from. */
export interface Describable {
  readonly actions: ActionTable;
  /** Configuration `server.name`. */
  readonly serviceName: string;
  readonly version: string;
  readonly protocols: readonly DescribedProtocol[];
}
