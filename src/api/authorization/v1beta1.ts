export type * from "./v1beta1-definitions.ts";
