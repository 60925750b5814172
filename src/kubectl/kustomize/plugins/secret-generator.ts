import { dataGenerator } from "./data-generator.ts";

/** Makes a Secret of files and literals. */
export const secretGenerator = dataGenerator("Secret");
