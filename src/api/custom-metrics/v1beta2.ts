export type * from "./v1beta2-definitions.ts";
