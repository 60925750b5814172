export type * from "./v2beta1-definitions.ts";
