import { dataGenerator } from "./data-generator.ts";

/** Makes a ConfigMap of files and literals. */
export const configMapGenerator = dataGenerator("ConfigMap");
