/**
 * Configuration sections of plugins, for the type of `config` in `new Kernel`. A plugin adds its section by declaration
 * merging: `declare module '@millrace/kernel' { interface PluginSections { shop?: { priceLimit?: number } } }`.
 */
export interface PluginSections {} // eslint-disable-line @typescript-eslint/no-empty-object-type -- plugins fill it
