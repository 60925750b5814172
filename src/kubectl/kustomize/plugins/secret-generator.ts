import { dataGenerator } from "./data-generator.ts";

/** Creates a Secret from files and literals. */
export const secretGenerator = dataGenerator("Secret");
