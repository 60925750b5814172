import type { ObjectMeta } from "#/api/meta/v1.ts";
import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { validateObjectMeta } from "#/machinery/meta/object-meta.ts";
import { goQuote } from "#/std/go/go-quote.ts";

const staticSuffix = ".static.k8s.io";
const reserved = `names ending with ${goQuote(staticSuffix)} are reserved for static manifest-based configurations and cannot be managed via the API`;

/** Validation errors of the metadata of an object of this group. */
export const validateRegistrationMeta = (metadata: ObjectMeta): FieldError[] =>
  validateObjectMeta(
    metadata,
    { namespaced: false, name: nameIsDNSSubdomain },
    fieldPath("metadata"),
  );

/** New objects may not use names that are reserved for manifest files on the server's machine. */
export function validateStaticSuffix({ name = "" }: ObjectMeta): FieldError[] {
  if (!name.endsWith(staticSuffix)) return [];
  return [invalid(fieldPath("metadata", "name"), name, reserved)];
}

/** Warnings for existing objects with a reserved name. */
export const staticSuffixWarnings = ({ name = "" }: ObjectMeta): string[] =>
  name.endsWith(staticSuffix) ? [`metadata.name: ${reserved}`] : [];
