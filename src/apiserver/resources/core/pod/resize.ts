import type { Container, Pod, ResourceList, ResourceRequirements, Volume } from "#/api/core/v1.ts";
import { type FieldError, forbidden, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { computeQOSClass, podQOSClass } from "#/machinery/pods/qos.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { Decoded, RequestContext, ViewStrategy } from "../../../registry/strategy.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import { isSidecar } from "../pod-spec/base/visit-containers.ts";
import { dropDisabledPodFields } from "../pod-spec/drop-disabled-fields.ts";
import { mirrorAnnotation } from "../pod-spec/pod-annotations.ts";
import { podValidationOptions } from "../pod-spec/pod-validation-options.ts";
import { keepMetadata } from "./keep-metadata.ts";
import { setPodLevelDefaults } from "./pod-level-resources.ts";
import { countSpecChange, keepResources, keepStatus } from "./prepare.ts";
import { validateMetaAndSpec } from "./validate-pod.ts";

/** Changes the resources of running containers. Upstream: pkg/registry/core/pod/strategy.go. */
export const resize: ViewStrategy<Pod> = {
  prepareForUpdate(pod, old, context) {
    keepAllButResources(pod, old, context);
    if (context.enabled("PodLevelResourcesFixDefaulting")) {
      keepResources(pod.spec, old.spec);
      setPodLevelDefaults(pod.spec, context);
    }
    dropDisabledPodFields(pod, old, context);
    countSpecChange(pod, old);
  },
  validateUpdate: validateResize,
};

/** Copies the containers' resources from the request. Changed numbers of containers are left to validation. */
function keepAllButResources(pod: Pod, old: Pod, context: RequestContext): void {
  const { containers = [], initContainers, resources, volumes } = pod.spec;
  if (containers.length !== old.spec.containers.length) return;
  if ((initContainers?.length ?? 0) !== (old.spec.initContainers?.length ?? 0)) return;
  pod.spec = { ...old.spec, containers: withResources(containers, old.spec.containers) };
  if (initContainers) {
    pod.spec.initContainers = withResources(initContainers, old.spec.initContainers ?? []);
  }
  if (context.enabled("InPlacePodLevelResourcesVerticalScaling")) {
    if (resources === undefined) delete pod.spec.resources;
    else pod.spec.resources = deepCopy(resources);
  }
  if (volumes && context.enabled("InPlacePodVerticalScalingMemoryBackedVolumes")) {
    pod.spec.volumes = volumes;
  }
  keepStatus(pod, old);
  keepMetadata(pod, old);
}

function withResources(containers: Container[], old: readonly Container[]): Container[] {
  if (containers.some(({ name }, index) => old[index]?.name !== name)) return containers;
  return containers.map(({ name, resources, resizePolicy }, index) => {
    const { resources: _, resizePolicy: __, ...rest } = old[index] ?? { name };
    return {
      ...rest,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    };
  });
}

const specPath = fieldPath("spec");
const nowhere = fieldPath("");

/** Validation errors of a resize: only CPU and memory may change. */
function validateResize(
  pod: Decoded<Pod>,
  old: Decoded<Pod>,
  context: RequestContext,
): FieldError[] {
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return [forbidden(nowhere, "static pods cannot be resized")];
  }
  if (old.spec.os?.name === "windows")
    return [forbidden(nowhere, "windows pods cannot be resized")];
  const report = new FieldReport();
  report.add(validateMetaUpdate(pod.metadata, old.metadata));
  report.add(validateMetaAndSpec(pod, podValidationOptions(context, old)));
  if (podQOSClass(old) !== computeQOSClass(pod)) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    report.invalid(specPath, "", new JsonValue(pod.status?.qosClass ?? ""), detail);
  }
  const running = old.status?.containerStatuses?.find(({ state }) => state?.running);
  if (running && running.resources === undefined) {
    report.forbidden(specPath, "", "Pod running on node without support for resize");
  }
  const rest = { ...pod.spec };
  if (hasPodLevel(old) || hasPodLevel(pod)) {
    if (!context.enabled("InPlacePodLevelResourcesVerticalScaling")) {
      const detail =
        "resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled";
      report.forbidden(nowhere, "", detail);
      return report.errors;
    }
    const resources = validatePodLevelResize(report, pod, old);
    delete rest.resources;
    if (resources) rest.resources = resources;
  }
  if (!validateOrder(report, pod, old)) return report.errors;
  rest.containers = validateContainersResize(report, pod, old);
  const initContainers = validateInitContainersResize(report, pod, old);
  if (initContainers) rest.initContainers = initContainers;
  validateVolumesResize(report, pod.spec.volumes, old.spec.volumes, context);
  if (old.spec.volumes) rest.volumes = old.spec.volumes;
  if (report.errors.length === 0 && !deepEqual(rest, old.spec)) {
    report.forbidden(specPath, "", "only cpu and memory resources are mutable");
  }
  return report.errors;
}

const hasPodLevel = ({ spec: { resources } }: Pod): boolean =>
  Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;

/** Checks Pod-level resources, and returns them with the old CPU and memory. */
function validatePodLevelResize(
  report: FieldReport,
  { spec }: Pod,
  old: Pod,
): ResourceRequirements | undefined {
  const { resources } = spec;
  const { resources: before } = old.spec;
  const path = specPath.child("resources");
  if (resources === undefined) {
    report.forbidden(path, "", "pod-level resources cannot be removed");
    return resources;
  }
  for (const which of ["requests", "limits"] as const) {
    if (!hasRemoved(resources[which], before?.[which])) continue;
    report.forbidden(path, which, `pod-level resource ${which} cannot be removed`);
  }
  const restored = withOldCompute(resources, before);
  const isEmpty = Object.values(restored).every((value) => value === undefined);
  const rest = before === undefined && isEmpty ? undefined : restored;
  if (!deepEqual(rest, before)) {
    report.forbidden(specPath, "", "only cpu and memory resources are mutable at pod-level");
  }
  return rest;
}

function validateOrder(report: FieldReport, { spec }: Pod, old: Pod): boolean {
  const before = report.errors.length;
  for (const field of ["containers", "initContainers"] as const) {
    const containers = spec[field] ?? [];
    const others = old.spec[field] ?? [];
    if (containers.length !== others.length) {
      report.forbidden(specPath, field, `${field} may not be added or removed on resize`);
      continue;
    }
    others.forEach(({ name }, index) => {
      if (containers[index]?.name === name) return;
      const detail = `${field} may not be renamed or reordered on resize`;
      report.forbidden(specPath.child(field).index(index), "name", detail);
    });
  }
  return report.errors.length === before;
}

function validateContainersResize(report: FieldReport, { spec }: Pod, old: Pod): Container[] {
  for (const field of ["initContainers", "containers"] as const) {
    old.spec[field]?.forEach(({ resources: before }, index) => {
      const at = specPath.child(field).index(index).child("resources");
      const resources = spec[field]?.[index]?.resources;
      for (const which of ["requests", "limits"] as const) {
        if (!hasRemoved(resources?.[which], before?.[which])) continue;
        report.forbidden(at, which, `resource ${which} cannot be removed`);
      }
    });
  }
  return spec.containers.map((container, index) => {
    const before = old.spec.containers[index];
    const rest = withOldResources(container, before);
    if (!deepEqual(rest, before)) {
      report.forbidden(specPath, "", "only cpu and memory resources are mutable");
    }
    return rest;
  });
}

function validateInitContainersResize(
  report: FieldReport,
  { spec }: Pod,
  old: Pod,
): Container[] | undefined {
  return spec.initContainers?.map((container, index) => {
    const before = old.spec.initContainers?.[index];
    const at = specPath.child("initContainers").index(index);
    const rest = withOldResources(container, before);
    if (!deepEqual(rest, before)) {
      const detail = "only cpu and memory resources for init or sidecar containers are mutable";
      report.forbidden(at, "", detail);
    }
    if (isSidecar(container) || deepEqual(container, before)) return rest;
    for (const { restartPolicy } of container.resizePolicy ?? []) {
      if (restartPolicy !== "RestartContainer") continue;
      const detail =
        "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
      report.forbidden(at, "", detail);
    }
    return rest;
  });
}

/** Whether an entry of the old list is missing. */
function hasRemoved(list: ResourceList = {}, old: ResourceList = {}): boolean {
  return Object.keys(old).some((name) => list[name] === undefined);
}

function withOldResources(container: Container, old: Container | undefined): Container {
  const resources = withOldCompute(container.resources ?? {}, old?.resources);
  return { ...container, resources };
}

/** Resources with the old CPU and memory. */
function withOldCompute(
  { requests, limits, claims }: ResourceRequirements,
  old: ResourceRequirements | undefined,
): ResourceRequirements {
  const restore = (
    list: ResourceList = {},
    before: ResourceList = {},
  ): ResourceList | undefined => {
    const { cpu: _, memory: __, ...rest } = list;
    for (const name of ["cpu", "memory"]) {
      if (before[name] !== undefined) rest[name] = before[name];
    }
    return Object.keys(rest).length === 0 ? undefined : rest;
  };
  const [lim, req] = [restore(limits, old?.limits), restore(requests, old?.requests)];
  return {
    ...(lim ? { limits: lim } : {}),
    ...(req ? { requests: req } : {}),
    ...(claims ? { claims } : {}),
  };
}

function validateVolumesResize(
  report: FieldReport,
  volumes: readonly Volume[] = [],
  old: readonly Volume[] = [],
  context: RequestContext,
): void {
  if (!context.enabled("InPlacePodVerticalScalingMemoryBackedVolumes")) {
    if (deepEqual(volumes, old)) return;
    const detail =
      "volumes are immutable on resize when InPlacePodVerticalScalingMemoryBackedVolumes feature gate is disabled";
    report.forbidden(specPath, "volumes", detail);
    return;
  }
  if (volumes.length !== old.length) {
    report.forbidden(specPath, "volumes", "volumes may not be added or removed on resize");
    return;
  }
  volumes.forEach((volume, index) => {
    const before = old[index];
    if (before) validateVolumeResize(report, index, volume, before);
  });
}

function validateVolumeResize(
  report: FieldReport,
  index: number,
  volume: Volume,
  old: Volume,
): void {
  const path = specPath.child("volumes").index(index);
  if (volume.name !== old.name) {
    report.forbidden(path, "name", "volumes may not be renamed or reordered on resize");
    return;
  }
  const { sizeLimit, ...emptyDir } = volume.emptyDir ?? {};
  const { sizeLimit: before, ...oldEmptyDir } = old.emptyDir ?? {};
  if (!deepEqual({ ...volume, emptyDir }, { ...old, emptyDir: oldEmptyDir })) {
    const detail = "only sizeLimit of memory-backed emptyDir volumes is mutable on resize";
    report.forbidden(path, "", detail);
    return;
  }
  const size = parseQuantity(sizeLimit ?? "0");
  const oldSize = parseQuantity(before ?? "0");
  if (size.equals(oldSize)) return;
  const added = size.isZero || oldSize.isZero;
  if (!added && emptyDir.medium === "Memory") return;
  const detail = added
    ? "adding or removing sizeLimit on an existing volume is not allowed"
    : "sizeLimit is only mutable for memory-backed emptyDir volumes";
  report.forbidden(path.child("emptyDir"), "sizeLimit", detail);
}
