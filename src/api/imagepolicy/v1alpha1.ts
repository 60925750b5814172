export type * from "./v1alpha1-definitions.ts";
