export type * from "./v1-definitions.ts";
