export type * from './ActionMap.js';
export type * from './Notification.js';
export type { ActionFields, ActionMessage, CommonFields, FieldOrBody, MessageFields } from './ActionFields.js';
export type {
  ActionResponse,
  FailureResponse,
  FailureStatus,
  PartialResponse,
  RedirectResponse,
  SuccessResponse,
} from './ActionResponse.js';
export type { FreeContent, JsonObject, JsonValue } from './Json.js';
export type { ResponseMessage, WireError } from './ResponseMessage.js';
