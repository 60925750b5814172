import type { CustomResourceDefinition } from "#/api/apiextensions/v1.ts";
import type { Resource } from "#/api/resource.ts";
import type { StructSchema } from "#/api/schema.ts";
import { deepCopy } from "#/machinery/deep-copy.ts";
import { deepEqual } from "#/machinery/deep-equal.ts";
import { type FieldError, required } from "#/machinery/field-error.ts";
import { fieldPath } from "#/machinery/field-path.ts";
import { isDNS1123Subdomain } from "#/machinery/names.ts";
import { validateObjectMeta } from "#/machinery/object-meta.ts";
import { validateEmbedded } from "#/machinery/structural/embedded-resource.ts";
import { validateListTypes } from "#/machinery/structural/list-type.ts";
import type {
  ApiObject,
  Declaration,
  RequestContext,
  ServedVersion,
  ViewStrategy,
} from "../registry/strategy.ts";
import { customColumns, customSelectableFields } from "./custom-columns.ts";
import { type CustomVersion, compileVersion } from "./custom-version.ts";

/** Between versions of a custom resource. None changes nothing but apiVersion. */
export interface Conversion {
  convert(object: ApiObject, apiVersion: string): Promise<ApiObject> | ApiObject;
}

/** A custom resource as the server serves it: the same value as a built-in one, made from a CRD. */
export interface CustomResource {
  readonly declaration: Declaration;
  readonly schemaOf: (handle: Resource) => StructSchema;
}

/**
 * Makes a resource of a CRD. Upstream: apiextensions-apiserver/pkg/registry/customresource/strategy.go.
 */
export function customResource(
  crd: CustomResourceDefinition,
  conversion?: Conversion,
): CustomResource {
  const versions = crd.spec.versions.map((version) => compileVersion(crd, version));
  const stored = versions.find(({ spec }) => spec.storage) ?? versions[0];
  if (!stored) throw new Error(`${crd.metadata.name} has no version`);
  const byName = new Map(versions.map((version) => [version.spec.name, version]));
  const named = (apiVersion = "") => byName.get(apiVersion.slice(apiVersion.indexOf("/") + 1));
  /** Without conversion an object is the same in every version, so the one of the request has the say. */
  const ruling = (context: RequestContext) =>
    conversion ? stored : (named(context.apiVersion) ?? stored);
  const hasStatus = (context: RequestContext) =>
    ruling(context).spec.subresources?.status !== undefined;

  const scale = stored.spec.subresources?.scale;
  const declaration: Declaration = {
    handle: stored.handle,
    storageName: `${stored.handle.group}/${stored.handle.name}`,
    versions: versions
      .filter(({ spec }) => spec.served)
      .map((version) => servedVersion(version, stored, conversion)),
    setDefaults: stored.setDefaults,
    prepareForCreate(object, context) {
      if (hasStatus(context)) delete (object as { status?: unknown }).status;
      object.metadata.generation = 1;
    },
    prepareForUpdate(object, old, context) {
      if (hasStatus(context)) keepStatus(object, old);
      if (specChanged(object, old, hasStatus(context))) {
        object.metadata.generation = (old.metadata.generation ?? 0) + 1;
      }
    },
    validate: (object, context) => validate(ruling(context), object),
    validateUpdate: (object, old, context) => validateUpdate(ruling(context), object, old),
    columns: customColumns(stored.spec.additionalPrinterColumns),
    selectableFields: customSelectableFields(stored.spec.selectableFields),
    unknownFieldMessage: (field) => `field label not supported: ${field}`,
    allowUnconditionalUpdate: false,
    ...(stored.spec.subresources?.status ? { status: statusView(ruling) } : {}),
    ...(scale
      ? {
          scale: {
            specReplicas: scale.specReplicasPath,
            statusReplicas: scale.statusReplicasPath,
            ...(scale.labelSelectorPath ? { selector: scale.labelSelectorPath } : {}),
          },
        }
      : {}),
  };
  return {
    declaration,
    schemaOf: ({ version }) => (byName.get(version) ?? stored).schema,
  };
}

function servedVersion(
  version: CustomVersion,
  stored: CustomVersion,
  conversion: Conversion | undefined,
): ServedVersion {
  const apiVersionOf = ({ handle }: CustomVersion) => `${handle.group}/${handle.version}`;
  return {
    handle: version.handle,
    ...(version === stored ? {} : { setDefaults: version.setDefaults }),
    ...(conversion && version !== stored
      ? {
          toStored: (object) => conversion.convert(object, apiVersionOf(stored)),
          fromStored: (object) => conversion.convert(object, apiVersionOf(version)),
        }
      : {}),
    columns: customColumns(version.spec.additionalPrinterColumns),
    ...(version.spec.deprecated
      ? {
          deprecation:
            version.spec.deprecationWarning ??
            `${apiVersionOf(version)} ${version.handle.kind} is deprecated`,
        }
      : {}),
  };
}

const metadataPath = fieldPath("metadata");

function validate(version: CustomVersion, object: ApiObject): FieldError[] {
  return [
    ...validateMeta(version, object),
    ...validateEmbedded(object, version.structural, { isRoot: true }),
    ...version.validator.validate(object),
    ...validateListTypes(object, version.structural),
  ];
}

function validateUpdate(version: CustomVersion, object: ApiObject, old: ApiObject): FieldError[] {
  return [
    ...validateEmbedded(object, version.structural, { isRoot: true }),
    ...version.validator.validateUpdate(object, old),
    ...validateListTypes(object, version.structural),
  ];
}

function validateMeta({ handle }: CustomVersion, object: ApiObject): FieldError[] {
  if (!object.metadata.name && !object.metadata.generateName) {
    return [required(metadataPath.child("name"), "name or generateName is required")];
  }
  const name = (text: string, prefix: boolean) =>
    isDNS1123Subdomain(prefix ? text.replace(/-$/, "a") : text);
  return validateObjectMeta(object.metadata, { namespaced: handle.namespaced, name }, metadataPath);
}

function keepStatus(object: ApiObject, old: ApiObject): void {
  const target = object as { status?: unknown };
  const { status } = old as { status?: unknown };
  if (status === undefined) delete target.status;
  else target.status = deepCopy(status);
}

/** The generation counts changes of everything but metadata, and status where that is a part of its own. */
function specChanged(object: ApiObject, old: ApiObject, withoutStatus: boolean): boolean {
  const content = (value: ApiObject) => ({
    ...value,
    metadata: undefined,
    apiVersion: undefined,
    ...(withoutStatus ? { status: undefined } : {}),
  });
  return !deepEqual(content(object), content(old));
}

function statusView(ruling: (context: RequestContext) => CustomVersion): ViewStrategy {
  return {
    validateUpdate: (object, old, context) => validateUpdate(ruling(context), object, old),
    resetFields: ["spec"],
  };
}
