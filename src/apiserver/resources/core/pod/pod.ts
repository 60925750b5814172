import { pods } from "#/api/core/v1.ts";
import { isDNS1123Label } from "#/machinery/meta/names.ts";
import { podConnectActions } from "../../../proxy/pod-actions.ts";
import { serve } from "../../../registry/strategy.ts";
import { podWarnings, specWarnings } from "../pod-spec/pod-warnings.ts";
import { bindingAction } from "./binding.ts";
import { podCells, podColumns, podRowConditions } from "./columns.ts";
import { setPodDefaults, setSpecDefaults } from "./defaults.ts";
import { ephemeralContainers } from "./ephemeral-containers.ts";
import { evictionAction } from "./eviction.ts";
import { prepareForCreate, prepareForUpdate } from "./prepare.ts";
import { resize } from "./resize.ts";
import { podStatus } from "./status.ts";
import { validateNewSpec, validatePod } from "./validate-pod.ts";
import { validatePodUpdate } from "./validate-update.ts";

/** Upstream: pkg/registry/core/pod/strategy.go, storage/storage.go. */
export const pod = serve(pods, {
  reportingNode: ({ spec }) => spec?.nodeName,
  setDefaults: setPodDefaults,
  prepareForCreate,
  prepareForUpdate,
  common: {
    field: "spec",
    setDefaults: setSpecDefaults,
    validate: validateNewSpec,
    warnings: specWarnings,
  },
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  warnings(object, old, _context, ofSpec) {
    if (old !== undefined) return [];
    const problems = isDNS1123Label(object.metadata.name ?? "");
    const ofName = `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`;
    return [...(problems.length > 0 ? [ofName] : []), ...podWarnings(object, ofSpec)];
  },
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork ?? false),
    "spec.host": ({ spec }) => spec.nodeName ?? "",
    "status.phase": ({ status }) => status?.phase ?? "",
    "status.podIP": ({ status }) => status?.podIPs?.[0]?.ip ?? "",
    // A known field label that never has a value.
    "status.podIPs": () => "",
    "status.nominatedNodeName": ({ status }) => status?.nominatedNodeName ?? "",
  },
  unknownFieldMessage: (field) => `field label not supported: ${field}`,
  indexedField: "spec.nodeName",
  columns: podColumns,
  rowCells: podCells,
  rowConditions: podRowConditions,
  returnsDeletedObject: true,
  gracePeriodSeconds({ spec, status }, requested) {
    const ended = status?.phase === "Failed" || status?.phase === "Succeeded";
    if (!spec.nodeName || ended) return 0;
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
  resetFields: ["status"],
  status: podStatus,
  views: { ephemeralcontainers: ephemeralContainers, resize },
  actions: { binding: bindingAction, eviction: evictionAction, ...podConnectActions },
});
