import { dataGenerator } from "./data-generator.ts";

/** Creates a ConfigMap from files and literals. */
export const configMapGenerator = dataGenerator("ConfigMap");
