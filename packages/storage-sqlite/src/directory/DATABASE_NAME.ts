/** The file of the database, in a data folder and in a backup. */
export const DATABASE_NAME = 'millrace.db';
