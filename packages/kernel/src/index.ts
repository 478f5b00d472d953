import 'reflect-metadata';

export type { ActionFields, ActionMap, ActionMessage, ActionResponse, Notification } from '@millrace/actions';

export { JsonListReader, type JsonListLimits, type JsonListProblem } from './json/JsonListReader.js';
export { JsonLinesReader } from './json/JsonLinesReader.js';
export { parseJson, type JsonProblem, type ParsedJson } from './json/parseJson.js';
export { canonicalJson } from './json/canonicalJson.js';
export { estimateJsonBytes } from './json/estimateJsonBytes.js';
export { isJsonObject, type JsonObject, type JsonValue } from './json/Json.js';

export { MillraceError, type ErrorExtras } from './errors/MillraceError.js';
export { defineErrors, type ErrorFactory, type ErrorRegistry, type ErrorRow } from './errors/defineErrors.js';
export { isError } from './errors/isError.js';
export { apiErrors, coreErrors, idempotencyErrors } from './errors/errors.js';
export { toWireError, type WireError } from './errors/toWireError.js';

export { Lifetime } from './contracts/request/Lifetime.js';
export { Request } from './contracts/request/Request.js';
export { hasTime, inTurn, ParseTurns } from './concurrency/ParseTurns.js';
export { decodeMessage, type DecodedMessage } from './messages/decodeMessage.js';
export { createRequest } from './messages/createRequest.js';
export type { RequestFields } from './contracts/request/FieldReader.js';
export { JsonText, type JsonPart } from './json/JsonText.js';
export { stringifyLong } from './json/stringifyInParts.js';
export { encodeInParts, isLongMessage } from './messages/encodeInParts.js';
export { encodeMessage } from './messages/encodeMessage.js';
export { errorResponse } from './messages/errorResponse.js';
export { readPrecondition, type Precondition } from './contracts/request/Precondition.js';
export { didYouMean } from './errors/didYouMean.js';
export { refreshArgument } from './contracts/actions/refreshArgument.js';
export { showValue } from './errors/showValue.js';
export { readCookie, type Cookie } from './contracts/request/Cookie.js';
export {
  FileContent,
  RawContent,
  Redirect,
  type Response,
  type ResponseMessage,
} from './contracts/request/Response.js';

export {
  defineAction,
  route,
  type ActionEffect,
  type ActionDefinition,
  type ActionRequest,
  type ActionResult,
  type HttpMethod,
  type RequestQueueName,
  type Route,
} from './contracts/actions/ActionDefinition.js';
export {
  alsoInBody,
  boolean,
  custom,
  integer,
  object,
  oneOf,
  readArgument,
  required,
  text,
  type Argument,
  type Arguments,
  type ArgumentValues,
  type RequiredArgument,
} from './contracts/actions/Argument.js';
export { checkArguments } from './contracts/actions/checkArguments.js';
export { collectionName, documentId, indexName } from './contracts/actions/nameArguments.js';
export { readTarget } from './contracts/actions/readTarget.js';
export { schema } from './contracts/actions/schema.js';
export { ACTIONS, ActionTable, type ActionOwner } from './contracts/actions/ActionTable.js';

export { Dispatcher, type DispatcherParts } from './pipeline/Dispatcher.js';
export { IdempotentRequests } from './pipeline/IdempotentRequests.js';
export { PIPES, Pipes, type ActionPipe, type ActionPipes, type Pipe } from './pipeline/Pipes.js';
export { WritePipes, type WritePipe } from './pipeline/WritePipes.js';
export { ByteAccount, ByteBudget } from './concurrency/ByteBudget.js';
export { FairQueue, type TurnKeys } from './concurrency/FairQueue.js';
export { RequestScheduler, type SchedulerLimits } from './pipeline/RequestScheduler.js';
export { andThen } from './concurrency/andThen.js';
export type { MaybePromise } from './concurrency/MaybePromise.js';
export { isThenable } from './concurrency/isThenable.js';
export { withDeadline } from './pipeline/withDeadline.js';

export type { EventMap, EventName, SecurityChange } from './events/EventMap.js';
export { EVENT_NAMES } from './events/EVENT_NAMES.js';
export { HOOKS, Hooks, type Hook } from './events/Hooks.js';

export {
  LOG_CHANNEL,
  NOTIFY_CHANNEL,
  REQUEST_CHANNEL,
  STORAGE_CHANNEL,
  type LogTrace,
  type NotifyTrace,
  type RequestTrace,
  type StorageTrace,
} from './diagnostics/CHANNELS.js';
export { isTraced } from './diagnostics/isTraced.js';

export { denyOthers, type DeniedAccess } from './files/denyOthers.js';
export { syncFolder } from './files/syncFolder.js';
export { makePrivateDirectory } from './files/makePrivateDirectory.js';

export type { Lifecycle } from './contracts/runtime/Lifecycle.js';
export { LifecycleRunner } from './lifecycle/LifecycleRunner.js';

export { copyOf } from './plugins/copyOf.js';
export { KERNEL_COPY, type KernelCopy } from './copies/KERNEL_COPY.js';
export { defineLibrary, type Library } from './plugins/Library.js';
export type { Module } from './modules/Module.js';
export type { ModuleHost } from './modules/ModuleHost.js';
export { STAGES, type Stage } from './modules/STAGES.js';
export { definePlugin, type Plugin, type PluginConfig } from './plugins/Plugin.js';
export type { EngineKind, PluginHost } from './plugins/PluginHost.js';
export type { PluginDocument, PluginSearch, PluginStore } from './plugins/PluginStore.js';
export type { ScheduledFunction, ScheduledRun, ScheduleTime } from './plugins/Schedule.js';
export { orderPlugins } from './plugins/orderPlugins.js';

export { action, type FunctionOptions } from './functions/action.js';
export type { CollectionMap, ContentOf } from './functions/CollectionMap.js';
export { cron } from './functions/cron.js';
export type { CallerContext, CallResult, FunctionContext } from './functions/FunctionContext.js';
export { on } from './functions/on.js';
export { onWrite, type FunctionWrite } from './functions/onWrite.js';
export { isServerFunction, type FunctionPlace, type ServerFunction } from './functions/ServerFunction.js';
export { strategy, type FunctionStrategy } from './functions/strategy.js';

export { CONFIG, createConfig, type Config } from './config/Config.js';
export { listConfigKeys, type ConfigKey, type ConfigSchema } from './config/ConfigSchema.js';
export { integerBetween, nonEmptyText, positiveInteger, webAddress } from './config/formats.js';
export { addressRanges, parseAddressRanges, type AddressRange } from './config/addressRanges.js';
export { hostNames } from './network/hostNames.js';
export { withoutLogins } from './config/withoutLogins.js';
export type { ConfigValues } from './config/ConfigValues.js';
export type { PluginSections } from './config/PluginSections.js';
export {
  inspectConfig,
  loadConfig,
  type ConfigFault,
  type ConfigSources,
  type InspectedConfig,
} from './config/loadConfig.js';

export { clusterErrors } from './contracts/cluster/errors.js';
export {
  NODE_LINK,
  type MessageHandler,
  type NodeLink,
  type NodeObserver,
  type QuestionHandler,
  type SyncOutcome,
} from './contracts/cluster/NodeLink.js';
export {
  malformedMessage,
  readCollectionKey,
  readNodeMessage,
  toCollectionKey,
} from './contracts/cluster/readNodeMessage.js';
export type { LeaseRequest, RateLease } from './contracts/cluster/RateLease.js';
export { SOLE_NODE } from './contracts/cluster/SOLE_NODE.js';
export {
  ANSWER_STORE,
  type AnswerStore,
  type EarlierRequest,
  type KeyedRequest,
} from './contracts/runtime/AnswerStore.js';
export { CLOCK, type Clock } from './contracts/runtime/Clock.js';
export type { EngineHealth } from './contracts/runtime/EngineHealth.js';
export type { Readiness, ReadyState } from './contracts/runtime/Readiness.js';
export { systemClock } from './contracts/runtime/systemClock.js';
export type { Tickets } from './contracts/runtime/Tickets.js';
export { SealedTickets } from './contracts/runtime/SealedTickets.js';
export { openTickets } from './contracts/cluster/LinkedTickets.js';
export { ReplayGuard } from './contracts/runtime/ReplayGuard.js';
export { LOGGER, type Logger } from './contracts/runtime/Logger.js';
export { silentLogger } from './contracts/runtime/silentLogger.js';
export { INTERNAL_INDEX } from './contracts/runtime/INTERNAL_INDEX.js';
export { SECRET_STORE, type SecretStore } from './contracts/runtime/SecretStore.js';

export { KeyedQueue } from './concurrency/KeyedQueue.js';
export { SharedPlaces } from './concurrency/SharedPlaces.js';
export { Queue } from './concurrency/Queue.js';
export { DueQueue, type Due } from './concurrency/DueQueue.js';
export { EventLoopPacer } from './concurrency/EventLoopPacer.js';
export { outcomeOf } from './concurrency/outcomeOf.js';
export { nextSlice } from './concurrency/nextSlice.js';
export { Places } from './concurrency/Places.js';

export { isLoopback } from './network/isLoopback.js';
export { NetworkGuard, type NetworkGuardOptions } from './network/NetworkGuard.js';
export type { PortConnections, PortLimits } from './network/PortConnections.js';
export { AddressRanges } from './network/AddressRanges.js';
export { toAddressKey } from './concurrency/toAddressKey.js';
export type { HttpStream, HttpStreamExchange, HttpStreams } from './protocols/HttpStreams.js';
export type { ConsoleScreen, StaticFiles } from './protocols/StaticFiles.js';
export type { MountedProtocol } from './protocols/MountedProtocol.js';
export { NOTIFIERS, type Notifier } from './protocols/Notifier.js';
export type { HttpMiddleware } from './protocols/HttpMiddleware.js';
export type { DescribedChannel, ProtocolChannels } from './protocols/ProtocolChannels.js';
export type { ListeningAddress, Protocol, ProtocolAddress, ProtocolHost } from './protocols/Protocol.js';
export type { Connection, HttpRequestFacts } from './contracts/request/Connection.js';
export {
  STRATEGIES,
  type AuthStrategy,
  type LoginAttempt,
  type NewIdentityUser,
  type StrategyCredentials,
  type StrategyIdentities,
  type StrategyUsers,
} from './contracts/security/AuthStrategy.js';
export type { PassportRequest, PassportStrategy } from './contracts/security/PassportStrategy.js';
export { authErrors, securityErrors } from './contracts/security/errors.js';
export { OpenSecurity } from './contracts/security/OpenSecurity.js';
export type { DocumentGrant, DocumentRight } from './contracts/security/DocumentRight.js';
export { RATE_LIMITS, type RateLimit, type RateLimits, type RateLimitState } from './contracts/security/RateLimits.js';
export { openSecret, sealSecret } from './contracts/security/sealSecret.js';
export { SECURITY, type Security, type Target } from './contracts/security/Security.js';
export type { Identity, Session } from './contracts/security/Session.js';
export { ANONYMOUS, type User } from './contracts/security/User.js';

export { memoryErrors } from './contracts/memory/errors.js';
export {
  MEMORY_STORE_ENGINE,
  type MemoryArgument,
  type MemoryCommand,
  type MemoryReply,
  type MemoryStoreEngine,
  type MemoryTransaction,
} from './contracts/memory/MemoryStoreEngine.js';
export { toWireHit } from './contracts/storage/toWireHit.js';
export { isCollectionAbsent } from './contracts/storage/isCollectionAbsent.js';
export { readStored } from './contracts/storage/readStored.js';
export { RECORD_PLACE, registerInternalIndex, type RecordPlace } from './records/RECORD_PLACE.js';
export {
  RecordStore,
  written,
  type FoundRecords,
  type RecordKind,
  type WrittenOutcome,
} from './records/RecordStore.js';
export { retryOnConflict } from './contracts/storage/retryOnConflict.js';
export { runsOfDistinctDocuments } from './contracts/storage/runsOfDistinctDocuments.js';
export { toDocumentKey } from './contracts/names/toDocumentKey.js';
export { isDocumentId, toDocumentId, type DocumentId } from './contracts/names/DocumentId.js';
export { ID_GENERATOR, IdGenerator } from './contracts/names/IdGenerator.js';
export { toIndexName, type IndexName } from './contracts/names/IndexName.js';
export { toCollectionName, type CheckedCollection, type CollectionPart } from './contracts/names/toCollectionName.js';
export { documentErrors, queryErrors, storageErrors } from './contracts/storage/errors.js';
export {
  DOCUMENT_LISTENERS,
  NO_LISTENERS,
  type ChangeOrigin,
  type DocumentChange,
  type DocumentListeners,
  type PendingChange,
} from './contracts/realtime/DocumentListeners.js';
export {
  NO_OBSERVERS,
  WRITE_OBSERVERS,
  type CommittedWrite,
  type Emptying,
  type PendingWrite,
  type WriteObservers,
} from './contracts/storage/WriteObservers.js';
export { realtimeErrors } from './contracts/realtime/errors.js';
export {
  FOLLOW_MODES,
  FOLLOW_STATISTICS,
  type FollowModeName,
  type FollowStatistics,
} from './contracts/realtime/FollowStatistics.js';
export { SENT_CURSORS, type SentCursors } from './contracts/realtime/SentCursors.js';
export {
  envelopeAround,
  ofRoom,
  roomEnvelope,
  SERVER_NOTIFICATION,
  toEnvelope,
  type NotificationFields,
} from './contracts/realtime/toEnvelope.js';
export {
  CONTENT_RULES,
  NO_SPECIFICATIONS,
  type ContentRules,
  type IncomingContent,
  type ValidationReport,
} from './contracts/validation/ContentRules.js';
export { validationErrors } from './contracts/validation/errors.js';
export {
  MAX_RESULT_BYTES,
  STORAGE_ENGINE,
  type CollectionName,
  type EngineDescription,
  type IndexSettings,
  type ReadOptions,
  type ScannedDocument,
  type SearchCursor,
  type SearchHit,
  type SearchOptions,
  type SearchOutcome,
  type StorageEngine,
  type StoredDocument,
  type StoredText,
  type CopyableEngine,
  type DocumentCopy,
  type WriteCondition,
  type WriteOperation,
  type WriteOutcome,
} from './contracts/storage/StorageEngine.js';
export {
  DOCUMENT_METADATA_SCHEMA,
  NO_DOCUMENT_METADATA,
  stampMetadata,
  type DocumentMetadata,
  type WriteStamp,
} from './contracts/storage/DocumentMetadata.js';
export {
  CHANGE_LOG,
  type ChangeLog,
  type ChangeLogSize,
  type ChangeReceiver,
  type Cursor,
  type DocumentImage,
  type GapReason,
  type LoggedChange,
  type LoggedWipe,
  type NetChange,
  type Replay,
  type ReplayLimits,
  type ReplayPace,
} from './contracts/storage/ChangeLog.js';
export { DocumentText, weighText } from './contracts/storage/DocumentText.js';
export { NO_WRITES_IN_FLIGHT, WRITES_IN_FLIGHT, type WritesInFlight } from './contracts/storage/WritesInFlight.js';
