import { stringify } from "yaml";
import type { ApiObject } from "./object.ts";

/** The object as YAML; the fields' managers only when they are wanted. */
export function toYaml(object: ApiObject, withManagers = false): string {
  const { managedFields, ...metadata } = object.metadata;
  const shown = withManagers ? object : { ...object, metadata };
  return stringify(shown, { lineWidth: 0, aliasDuplicateObjects: false });
}
