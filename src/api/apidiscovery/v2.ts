export type * from "./v2-definitions.ts";
