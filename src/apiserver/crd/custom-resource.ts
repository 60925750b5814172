import type { CustomResourceDefinition } from "#/api/apiextensions/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import type { StructSchema } from "#/api/base/schema.ts";
import { customPatchTypes } from "#/machinery/codec/media-type.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { compareVersions } from "../discovery/version-order.ts";
import { requestViewOf } from "../registry/complete-object.ts";
import type {
  ApiObject,
  Declaration,
  ManagedVersions,
  Origin,
  RequestContext,
  ScalePaths,
  ServedVersion,
  ViewStrategy,
} from "../registry/strategy.ts";
import { adopt, convertedVersion, retypedVersion } from "./converted-version.ts";
import { customColumns, customSelectableFields } from "./custom-columns.ts";
import {
  finalizerWarnings,
  validateCustom,
  validateCustomStatus,
  validateCustomUpdate,
} from "./custom-rules.ts";
import { type CustomVersion, compileVersion } from "./custom-version.ts";

/** Converts objects of a custom resource between versions, if more than apiVersion differs. */
export interface Conversion {
  /** Converts objects of any versions; in order. */
  convert(objects: readonly ApiObject[], apiVersion: string): Promise<ApiObject[]>;
}

/** A custom resource in the same form as a built-in one, made from a CRD. */
interface CustomResource {
  readonly declaration: Declaration;
  readonly schemaOf: (handle: Resource) => StructSchema;
}

/** Properties of resources from definitions, which change and have no merge keys for lists. */
const custom: Origin = {
  isRouted: false,
  patchTypes: customPatchTypes,
  abbreviatesKind: false,
  checksScale: false,
};

/**
 * Makes a resource from a CRD. Upstream:
 * staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go.
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
  /** The version of the request decides. */
  const speaking = (context: RequestContext) => named(context.apiVersion) ?? stored;
  /** Objects that a webhook has converted were checked before. */
  const ruling = (context: RequestContext) =>
    conversion && speaking(context) !== stored ? undefined : speaking(context);
  const hasStatus = (context: RequestContext) =>
    speaking(context).spec.subresources?.status !== undefined;

  const withScale = versions.find(({ spec }) => spec.subresources?.scale);
  const warn = ({ warn: tell }: RequestContext) => tell;
  const declaration: Declaration = {
    ...custom,
    handle: stored.handle,
    storageName: `${stored.handle.group}/${stored.handle.name}`,
    versions: versions
      .filter(({ spec }) => spec.served)
      .sort((a, b) => compareVersions(a.spec.name, b.spec.name))
      .map((version, index, served) => ({
        ...servedVersion(version, stored, conversion),
        ...deprecationOf(version, served.slice(0, index)),
        openApi: openApiOf(crd, version),
      })),
    managedVersions: managedVersions(versions, conversion),
    setDefaults: stored.setDefaults,
    prepareForCreate(object, context) {
      if (hasStatus(context)) delete (object as { status?: unknown }).status;
      object.metadata.generation = 1;
    },
    prepareForUpdate(object, old, context) {
      if (hasStatus(context)) keepStatus(object, old);
      const sent = conversion ? undefined : requestViewOf(object);
      if (specChanged(sent ?? object, sent ? adopt(deepCopy(old), speaking(context)) : old)) {
        object.metadata.generation = (old.metadata.generation ?? 0) + 1;
      }
    },
    validate(object, context) {
      const version = ruling(context);
      return version ? validateCustom(version, object) : [];
    },
    validateUpdate(object, old, context) {
      const version = ruling(context);
      return version ? validateCustomUpdate(version, object, old, warn(context)) : [];
    },
    warnings: finalizerWarnings,
    columns: customColumns(stored.spec.additionalPrinterColumns),
    selectableFields: customSelectableFields(stored.spec.selectableFields),
    unknownFieldMessage: (field) => `field label not supported: ${field}`,
    allowUnconditionalUpdate: false,
    ...(versions.some(({ spec }) => spec.subresources?.status)
      ? {
          status: {
            validateUpdate(object, old, context) {
              const version = ruling(context);
              return version ? validateCustomStatus(version, object, old, warn(context)) : [];
            },
            resetFields: ["metadata", "spec"],
          } satisfies ViewStrategy,
        }
      : {}),
    ...(withScale ? { scale: scalePaths(withScale) } : {}),
  };
  return {
    declaration,
    schemaOf: ({ version }) => (byName.get(version) ?? stored).schema,
  };
}

function openApiOf(
  { spec, status }: CustomResourceDefinition,
  { spec: { schema, selectableFields = [] } }: CustomVersion,
) {
  const { listKind, kind } = status?.acceptedNames.plural ? status.acceptedNames : spec.names;
  return {
    listKind: listKind ?? `${kind}List`,
    selectableFields: selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, "")),
    ...(schema?.openAPIV3Schema ? { schema: schema.openAPIV3Schema } : {}),
  };
}

function managedVersions(
  versions: readonly CustomVersion[],
  conversion: Conversion | undefined,
): ManagedVersions {
  const schemas = new Map(versions.map(({ handle, schema }) => [apiVersionOf(handle), schema]));
  return {
    schemaOf: (apiVersion) => schemas.get(apiVersion),
    ...(conversion && {
      async convert(object, apiVersion) {
        const [converted = object] = await conversion.convert([object], apiVersion);
        return converted;
      },
    }),
  };
}

function servedVersion(
  version: CustomVersion,
  stored: CustomVersion,
  conversion: Conversion | undefined,
): ServedVersion {
  return {
    handle: version.handle,
    coerce: version.coerce,
    ...(version.spec.subresources?.scale ? { scale: scalePaths(version) } : {}),
    selectableFields: customSelectableFields(version.spec.selectableFields),
    ...(version === stored ? {} : { setDefaults: version.setDefaults }),
    ...conversionOf(version, stored, conversion),
    columns: customColumns(version.spec.additionalPrinterColumns),
  };
}

function conversionOf(
  version: CustomVersion,
  stored: CustomVersion,
  conversion: Conversion | undefined,
): Partial<ServedVersion> {
  if (conversion) return { webhook: convertedVersion(version, stored, conversion) };
  return version === stored ? {} : retypedVersion(version, stored);
}

/** The warning for a deprecated version, given the versions that are preferred to it. */
function deprecationOf(
  { handle, spec }: CustomVersion,
  preferred: readonly CustomVersion[],
): Pick<ServedVersion, "deprecation"> {
  if (!spec.deprecated) return {};
  if (spec.deprecationWarning !== undefined) return { deprecation: spec.deprecationWarning };
  const other = preferred.find((version) => !version.spec.deprecated);
  const advice = other ? `; use ${apiVersionOf(other.handle)} ${handle.kind}` : "";
  return { deprecation: `${apiVersionOf(handle)} ${handle.kind} is deprecated${advice}` };
}

function scalePaths({ spec }: CustomVersion): ScalePaths {
  const {
    specReplicasPath = "",
    statusReplicasPath = "",
    labelSelectorPath,
  } = spec.subresources?.scale ?? {};
  return {
    specReplicas: specReplicasPath,
    statusReplicas: statusReplicasPath,
    ...(labelSelectorPath ? { selector: labelSelectorPath } : {}),
  };
}

function keepStatus(object: ApiObject, old: ApiObject): void {
  const target = object as { status?: unknown };
  const { status } = old as { status?: unknown };
  if (status === undefined) delete target.status;
  else target.status = deepCopy(status);
}

/** The generation counts changes of everything except metadata, and except status if that is a subresource. */
function specChanged(object: ApiObject, old: ApiObject): boolean {
  const content = (value: ApiObject) => ({ ...value, metadata: undefined, apiVersion: undefined });
  return !deepEqual(content(object), content(old));
}
