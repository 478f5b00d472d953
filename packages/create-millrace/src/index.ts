export type { Dialogue } from './askForTheRest.js';
export { runCreate, type CreateEnvironment } from './runCreate.js';
export { TEMPLATES, type Language, type TemplateName } from './TEMPLATES.js';
