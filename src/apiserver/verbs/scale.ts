import type { Scale } from "#/api/autoscaling/v1.ts";
import type { ManagedFieldsEntry } from "#/api/meta/v1.ts";
import { managedFieldsAfterScale, managedFieldsOfScale } from "#/machinery/apply/scale.ts";
import {
  bodyMediaType,
  bodyPatchType,
  mediaTypes,
  patchTypes,
} from "#/machinery/codec/media-type.ts";
import { invalid as invalidField } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { invalid, unsupportedMediaType } from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { header } from "../model/exchange.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import { noConversion, type VersionedResource } from "../registry/served-resource.ts";
import type { ActionStrategy, ApiObject, ServedVersion } from "../registry/strategy.ts";
import { VersionCodec } from "../registry/version-codec.ts";
import { applyTo, readConfiguration, structured } from "./apply.ts";
import { patchObject } from "./body/patch-document.ts";
import { readBody } from "./body/read-body.ts";
import { trackManagers } from "./field-managers.ts";
import { parseWriteOptions, type WriteOptions } from "./options.ts";
import { type ScaleAccess, scaleAccess } from "./scale-access.ts";
import { checkName } from "./update.ts";
import { addWarning, attributesOf, contextOf, managerOf } from "./write-request.ts";

/**
 * The scale subresource: the object as an autoscaling/v1 Scale. Upstream: pkg/registry/apps/deployment/storage,
 * staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go.
 */

const scaleHandle: ServedVersion["handle"] = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  name: "scales",
  singular: "scale",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["get", "update", "patch"],
  subresources: [],
};

type ScaleObject = Scale & ApiObject;

/** Makes the next Scale from the current one. */
type NextScale = (live: ScaleObject) => ScaleObject;

export const scaleActions: ActionStrategy = { get, update, patch };

async function get(request: ResourceRequest): Promise<Result> {
  const { exchange, target } = request;
  const stored = await target.resource.store.get(exchange.info.namespace, exchange.info.name);
  const object = stored.parsed();
  return { type: "value", status: 200, value: answerOf(target, object) };
}

async function update(request: ResourceRequest): Promise<Result> {
  const { exchange, target } = request;
  const options = parseWriteOptions(exchange.query, "UpdateOptions");
  const sent = await readScale(request, options);
  checkName(sent, exchange.info.name);
  return write(request, options, (live) =>
    track(scaleTarget(target), live, deepCopy(sent), request, options),
  );
}

async function patch(request: ResourceRequest): Promise<Result> {
  const { exchange, target } = request;
  const type = bodyPatchType(header(exchange, "content-type"), patchTypes);
  if (!type) throw unsupportedMediaType(patchTypes);
  const apply = type === "application/apply-patch+yaml";
  const options = parseWriteOptions(exchange.query, "PatchOptions", apply);
  const body = await readBody(exchange);
  const scale = scaleTarget(target);
  const asScale: ResourceRequest = { ...request, target: scale };
  if (apply) {
    const configuration = readConfiguration(body, options, request);
    return write(
      request,
      options,
      (live) =>
        structured(asScale, applyTo(asScale, live, configuration, options).object) as ScaleObject,
    );
  }
  return write(request, options, (live) => {
    const { object, problems } = patchObject(live, {
      type,
      body,
      validation: options.fieldValidation,
      schema: scale.schema,
    });
    for (const problem of problems) addWarning(exchange, problem);
    return track(scale, live, object as ScaleObject, request, options);
  });
}

function track(
  scale: VersionedResource,
  live: ScaleObject,
  next: ScaleObject,
  { exchange, services }: ResourceRequest,
  options: WriteOptions,
): ScaleObject {
  const manager = managerOf(options, exchange);
  trackManagers(scale, live, next, { manager, subresource: "scale", now: services.clock.now() });
  return next;
}

/** Writes the replicas of a new Scale into the object it belongs to. */
async function write(
  request: ResourceRequest,
  options: WriteOptions,
  next: NextScale,
): Promise<Result> {
  const { exchange, target, services } = request;
  const access = accessOf(target);
  const { name } = exchange.info;
  const attributes = (object: ApiObject | undefined, old: ApiObject | undefined) => ({
    ...attributesOf(request, "UPDATE", {
      ...(object ? { object: scaleOf(target, object) } : {}),
      ...(old ? { oldObject: scaleOf(target, old) } : {}),
      name,
      options,
      dryRun: options.dryRun,
    }),
    kind: scaleHandle,
  });
  const { object } = await target.resource.store.update(
    {
      name,
      transform: async (old) => {
        if (!old) throw new Error("scale does not create");
        const live = scaleOf(target, old);
        const scale = next(live);
        const admission = { ...attributes(undefined, old), object: scale as ApiObject };
        await services.admission.mutate(admission);
        if (target.resource.declaration.checksScale) checkScale(scale);
        return withScale(target, access, old, scale);
      },
      validateCreate: () => undefined,
      validateUpdate: (final, old) => services.admission.validate(attributes(final, old)),
    },
    contextOf(request, options.dryRun),
  );
  return { type: "value", status: 200, value: answerOf(target, object.parsed()) };
}

function withScale(
  target: VersionedResource,
  access: ScaleAccess,
  old: ApiObject,
  scale: ScaleObject,
): ApiObject {
  const object = deepCopy(old);
  access.setReplicas(object, scale.spec?.replicas ?? 0);
  if (scale.metadata.resourceVersion)
    object.metadata.resourceVersion = scale.metadata.resourceVersion;
  else delete object.metadata.resourceVersion;
  if (scale.metadata.uid) object.metadata.uid = scale.metadata.uid;
  const managed = managedFieldsAfterScale(
    old.metadata.managedFields,
    scale.metadata.managedFields,
    managedScale(target, access),
  );
  if (managed) object.metadata.managedFields = managed as unknown as ManagedFieldsEntry[];
  return object;
}

function checkScale({ metadata, spec }: ScaleObject): void {
  const replicas = spec?.replicas ?? 0;
  if (replicas >= 0) return;
  const error = invalidField(
    fieldPath("spec", "replicas"),
    replicas,
    "must be greater than or equal to 0",
  );
  throw invalid({ group: "autoscaling", kind: "Scale" }, metadata.name ?? "", [error]);
}

function scaleOf(target: VersionedResource, object: ApiObject): ScaleObject {
  const access = accessOf(target);
  const { name, namespace, uid, resourceVersion, creationTimestamp, managedFields } =
    object.metadata;
  const managed = managedFieldsOfScale(managedFields, managedScale(target, access));
  const selector = access.selector(object);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(creationTimestamp ? { creationTimestamp } : {}),
      ...(managed ? { managedFields: managed as unknown as ManagedFieldsEntry[] } : {}),
    },
    spec: { replicas: access.replicas(object) },
    status: { replicas: access.statusReplicas(object), ...(selector === "" ? {} : { selector }) },
  };
}

/** The Scale for the client: only the object itself has managedFields. */
function answerOf(target: VersionedResource, object: ApiObject): ScaleObject {
  const scale = scaleOf(target, object);
  delete scale.metadata.managedFields;
  return scale;
}

function managedScale(target: VersionedResource, { path }: ScaleAccess) {
  const versions = [...target.resource.versions.values()].map(
    ({ apiVersion }) => [apiVersion, path] as const,
  );
  return { apiVersion: target.apiVersion, replicasPaths: new Map(versions) };
}

function accessOf(target: VersionedResource): ScaleAccess {
  const scale = target.version.scale ?? target.resource.declaration.scale;
  if (!scale) throw new Error(`${target.version.handle.name} have no scale`);
  return scaleAccess(scale);
}

/** The scale as a resource, for codecs and field management. */
function scaleTarget(target: VersionedResource): VersionedResource {
  const schema = findSchema("autoscaling", "v1", "Scale");
  if (!schema) throw new Error("no schema for Scale");
  const scale: VersionedResource = {
    ...target,
    version: { handle: scaleHandle },
    schema,
    codec: new VersionCodec(scaleHandle, schema),
    apiVersion: "autoscaling/v1",
    isStored: true,
    ...noConversion,
    resource: { ...target.resource, versions: new Map() },
  };
  return scale;
}

async function readScale(request: ResourceRequest, options: WriteOptions): Promise<ScaleObject> {
  const { exchange, target } = request;
  const mediaType = bodyMediaType(header(exchange, "content-type"), mediaTypes);
  if (!mediaType) throw unsupportedMediaType(mediaTypes);
  const body = await readBody(exchange);
  const { object, problems } = scaleTarget(target).codec.decode(
    body,
    mediaType,
    options.fieldValidation,
  );
  for (const problem of problems) addWarning(exchange, problem);
  return object as ScaleObject;
}
