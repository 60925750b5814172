import {
  type CSIDriver,
  type CSIDriverSpec,
  csiDrivers,
  type TokenRequest,
} from "#/api/storage/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { age, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { countGeneration } from "../rules/generation.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";

const path = fieldPath("spec");
const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycleModes = ["Persistent", "Ephemeral"];
const minExpirationSeconds = 600;
const maxExpirationSeconds = 2 ** 32;
const minUpdatePeriodSeconds = 10;

/** Fields of features that may be disabled. */
const gatedFields: readonly (readonly [gate: string, field: keyof CSIDriverSpec])[] = [
  ["SELinuxMountReadWriteOncePod", "seLinuxMount"],
  ["MutableCSINodeAllocatableCount", "nodeAllocatableUpdatePeriodSeconds"],
  ["CSIServiceAccountTokenSecrets", "serviceAccountTokenInSecrets"],
  ["VolumeLimitScaling", "preventPodSchedulingIfMissing"],
];

/** Upstream: pkg/registry/storage/csidriver/strategy.go, pkg/apis/storage/validation/validation.go. */
export const csiDriver = serve(csiDrivers, {
  returnsDeletedObject: true,
  allowUnconditionalUpdate: false,
  setDefaults,
  prepareForCreate: ({ spec }, context) => dropDisabled(spec, undefined, context),
  prepareForUpdate(object, old, context) {
    dropDisabled(object.spec, old.spec, context);
    countGeneration(object, old);
  },
  validate: ({ metadata, spec }, context) => [
    ...validateClusterMeta(metadata, nameIsDNSSubdomain),
    ...validateSpec(spec, context),
  ],
  validateUpdate,
  warnings({ spec }, old, context) {
    if (!context.enabled("CSIServiceAccountTokenSecrets")) return [];
    const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
    if (old && deepEqual(tokenRequests, old.spec.tokenRequests ?? [])) return [];
    if (tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return [];
    return [
      "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
    ];
  },
  columns: [
    nameColumn,
    {
      name: "AttachRequired",
      type: "boolean",
      cell: ({ spec }) => spec.attachRequired ?? true,
    },
    {
      name: "PodInfoOnMount",
      type: "boolean",
      cell: ({ spec }) => spec.podInfoOnMount ?? false,
    },
    {
      name: "StorageCapacity",
      type: "boolean",
      cell: ({ spec }) => spec.storageCapacity ?? false,
    },
    {
      name: "TokenRequests",
      type: "string",
      cell: ({ spec }) =>
        spec.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>",
    },
    {
      name: "RequiresRepublish",
      type: "boolean",
      cell: ({ spec }) => spec.requiresRepublish ?? false,
    },
    {
      name: "Modes",
      type: "string",
      cell: ({ spec }) => spec.volumeLifecycleModes?.join(",") || "<none>",
    },
    { name: "Age", type: "string", cell: age },
  ],
});

function setDefaults({ spec }: Decoded<CSIDriver>): void {
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
  if ((spec.volumeLifecycleModes?.length ?? 0) === 0) spec.volumeLifecycleModes = ["Persistent"];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
  spec.preventPodSchedulingIfMissing ??= false;
}

function dropDisabled(
  spec: CSIDriverSpec,
  old: CSIDriverSpec | undefined,
  context: RequestContext,
): void {
  for (const [gate, field] of gatedFields) {
    if (old?.[field] === undefined && !context.enabled(gate)) delete spec[field];
  }
}

function validateUpdate(
  { metadata, spec }: Decoded<CSIDriver>,
  old: Decoded<CSIDriver>,
  context: RequestContext,
): FieldError[] {
  const report = new FieldReport();
  report.add(validateMetaUpdate(metadata, old.metadata));
  report.add(validateSpec(spec, context));
  if (spec.attachRequired !== old.spec.attachRequired) {
    const shown = new JsonValue(spec.attachRequired ?? null);
    report.invalid(path, "attachedRequired", shown, immutableMessage);
  }
  if (!deepEqual(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes)) {
    const shown = new JsonValue(spec.volumeLifecycleModes ?? null);
    report.invalid(path, "volumeLifecycleModes", shown, immutableMessage);
  }
  return report.errors;
}

function validateSpec(spec: CSIDriverSpec, context: RequestContext): FieldError[] {
  const report = new FieldReport();
  const { fsGroupPolicy, tokenRequests = [], volumeLifecycleModes = [] } = spec;
  const { nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets } = spec;
  if (fsGroupPolicy !== undefined && !groupPolicies.includes(fsGroupPolicy)) {
    report.notSupported(path, "fsGroupPolicy", fsGroupPolicy, groupPolicies);
  }
  validateTokenRequests(report, tokenRequests);
  for (const mode of volumeLifecycleModes) {
    if (lifecycleModes.includes(mode)) continue;
    report.notSupported(path, "volumeLifecycleModes", mode, lifecycleModes);
  }
  if (spec.seLinuxMount === undefined && context.enabled("SELinuxMountReadWriteOncePod")) {
    report.required(path, "seLinuxMount");
  }
  if (period !== undefined && period < minUpdatePeriodSeconds) {
    const detail = `must be greater than or equal to ${minUpdatePeriodSeconds} seconds`;
    report.invalid(path, "nodeAllocatableUpdatePeriodSeconds", period, detail);
  }
  if (serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0) {
    const detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    const shown = new JsonValue(serviceAccountTokenInSecrets);
    report.invalid(path, "serviceAccountTokenInSecrets", shown, detail);
  }
  return report.errors;
}

function validateTokenRequests(report: FieldReport, requests: readonly TokenRequest[]): void {
  const audiences = new Set<string>();
  requests.forEach(({ audience, expirationSeconds: seconds }, index) => {
    const at = path.child("tokenRequests").index(index);
    if (audiences.has(audience)) {
      report.duplicate(at, "audience", audience);
      return;
    }
    audiences.add(audience);
    if (seconds === undefined) return;
    if (seconds < minExpirationSeconds) {
      const detail = "may not specify a duration less than 10 minutes";
      report.invalid(at, "expirationSeconds", seconds, detail);
    }
    if (seconds > maxExpirationSeconds) {
      const detail = "may not specify a duration larger than 2^32 seconds";
      report.invalid(at, "expirationSeconds", seconds, detail);
    }
  });
}
