export type * from "./v1beta3-definitions.ts";
