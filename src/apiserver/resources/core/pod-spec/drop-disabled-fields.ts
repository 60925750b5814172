import type {
  Container,
  LifecycleHandler,
  PodSpec,
  PodTemplateSpec,
  Probe,
  VolumeProjection,
} from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { PodGates } from "./base/pod-gates.ts";
import { allContainers } from "./base/visit-containers.ts";
import { clearVolumeUsers, hasVolumeUsers } from "./volumes/volume-users.ts";

/**
 * Drops fields of disabled features, unless the old object uses them.
 *
 * Upstream: pkg/api/pod/util.go.
 */

interface GatedFields {
  readonly gate: string;
  uses(spec: PodSpec): boolean;
  drop(spec: PodSpec): void;
}

/** Features with fields in each container. */
function ofContainers(
  gate: string,
  uses: (container: Container) => boolean,
  drop: (container: Container) => void,
): GatedFields {
  return {
    gate,
    uses: (spec) => allContainers(spec).some(uses),
    drop: (spec) => allContainers(spec).forEach(drop),
  };
}

/** Sources of projected volumes that belong to a feature. */
function ofProjections(gate: string, field: keyof VolumeProjection): GatedFields {
  return {
    gate,
    uses: (spec) => projections(spec).some((source) => source[field] !== undefined),
    drop(spec) {
      for (const source of projections(spec)) delete source[field];
    },
  };
}

const projections = ({ volumes = [] }: PodSpec): VolumeProjection[] =>
  volumes.flatMap(({ projected }) => projected?.sources ?? []);

const probesOf = (container: Container): Probe[] =>
  [container.livenessProbe, container.readinessProbe, container.startupProbe].filter(
    (probe) => probe !== undefined,
  );

const handlersOf = (container: Container): (Probe | LifecycleHandler)[] => [
  ...probesOf(container),
  ...[container.lifecycle?.postStart, container.lifecycle?.preStop].filter(
    (handler) => handler !== undefined,
  ),
];

const gated: readonly GatedFields[] = [
  {
    gate: "PodLevelResources",
    uses: ({ resources }) =>
      Object.keys(resources?.requests ?? {}).length > 0 ||
      Object.keys(resources?.limits ?? {}).length > 0,
    drop(spec) {
      delete spec.resources;
    },
  },
  {
    gate: "MatchLabelKeysInPodTopologySpread",
    uses: ({ topologySpreadConstraints = [] }) =>
      topologySpreadConstraints.some(({ matchLabelKeys }) => matchLabelKeys?.length),
    drop({ topologySpreadConstraints = [] }) {
      for (const constraint of topologySpreadConstraints) delete constraint.matchLabelKeys;
    },
  },
  ofProjections("ClusterTrustBundleProjection", "clusterTrustBundle"),
  ofProjections("PodCertificateRequest", "podCertificate"),
  { gate: "AtomicWriteVolumeUserFields", uses: hasVolumeUsers, drop: clearVolumeUsers },
  {
    gate: "GenericWorkload",
    uses: ({ schedulingGroup }) => schedulingGroup !== undefined,
    drop(spec) {
      delete spec.schedulingGroup;
    },
  },
  ofContainers(
    "GRPCContainerProbeTLS",
    (container) => probesOf(container).some(({ grpc }) => grpc?.mode !== undefined),
    (container) => {
      for (const { grpc } of probesOf(container)) delete grpc?.mode;
    },
  ),
  {
    gate: "EvictionRequestAPI",
    uses: ({ evictionResponders }) => (evictionResponders?.length ?? 0) > 0,
    drop(spec) {
      delete spec.evictionResponders;
    },
  },
  { gate: "ContainerRestartRules", uses: usesRestartRules, drop: dropRestartRules },
  {
    gate: "EmptyDirVolumeMode",
    uses: ({ volumes = [] }) => volumes.some(({ emptyDir }) => emptyDir?.mode !== undefined),
    drop({ volumes = [] }) {
      for (const { emptyDir } of volumes) delete emptyDir?.mode;
    },
  },
  ofContainers(
    "VolumeBindMountOptions",
    ({ volumeMounts = [] }) => volumeMounts.some((mount) => mount.bindMountOptions?.length),
    ({ volumeMounts = [] }) => {
      for (const mount of volumeMounts) delete mount.bindMountOptions;
    },
  ),
  ofContainers(
    "EnvFiles",
    ({ env = [] }) => env.some(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined),
    ({ env = [] }) => {
      for (const { valueFrom } of env) delete valueFrom?.fileKeyRef;
    },
  ),
  ofContainers(
    "ContainerStopSignals",
    ({ lifecycle }) => lifecycle?.stopSignal !== undefined,
    (container) => {
      delete container.lifecycle?.stopSignal;
      const { postStart, preStop } = container.lifecycle ?? {};
      if (postStart === undefined && preStop === undefined) delete container.lifecycle;
    },
  ),
  ofContainers(
    "H2CContainerProbe",
    (container) => handlersOf(container).some(({ httpGet }) => httpGet?.protocol !== undefined),
    (container) => {
      for (const { httpGet } of handlersOf(container)) delete httpGet?.protocol;
    },
  ),
];

/** Whether a container has restart rules. */
export function usesRestartRules({ initContainers = [], containers }: PodSpec): boolean {
  const inInit = initContainers.some(
    ({ restartPolicy, restartPolicyRules }) =>
      (restartPolicy !== undefined && restartPolicy !== "Always") || restartPolicyRules?.length,
  );
  return (
    inInit ||
    containers.some(
      ({ restartPolicy, restartPolicyRules }) =>
        restartPolicy !== undefined || restartPolicyRules?.length,
    )
  );
}

function dropRestartRules(spec: PodSpec): void {
  for (const container of allContainers(spec)) delete container.restartPolicyRules;
  for (const container of [...spec.containers, ...(spec.ephemeralContainers ?? [])]) {
    delete container.restartPolicy;
  }
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy !== "Always") delete container.restartPolicy;
  }
}

/** Legacy annotations of init containers. */
const initAnnotations = ["beta", "alpha"].flatMap((stage) => [
  `pod.${stage}.kubernetes.io/init-containers`,
  `pod.${stage}.kubernetes.io/init-container-statuses`,
]);

/** Drops annotations that are no longer interpreted. */
export function dropInitAnnotations({ annotations }: ObjectMeta): void {
  if (annotations === undefined) return;
  for (const key of initAnnotations) delete annotations[key];
}

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** Drops fields of disabled features from a Pod or template, unless the old object uses them. */
export function dropDisabledPodFields(
  { metadata, spec }: PodLike | PodTemplateSpec,
  old: PodLike | PodTemplateSpec | undefined,
  gates: Pick<PodGates, "enabled">,
): void {
  for (const { gate, uses, drop } of gated) {
    if (gates.enabled(gate) || !uses(spec)) continue;
    if (old === undefined || !uses(old.spec)) drop(spec);
  }
  dropInitAnnotations(metadata);
}
