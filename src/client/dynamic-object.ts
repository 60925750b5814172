import type { ObjectMeta } from "#/api/meta/v1.ts";

/** An object whose kind is known only at run time. */
export interface DynamicObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}
