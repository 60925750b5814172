import type { ObjectMeta } from "#/api/meta/v1.ts";

/** An object of a kind that is only known at run time. */
export interface DynamicObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}
