export { isJsonObject, type JsonObject, type JsonValue } from '@millrace/language';
